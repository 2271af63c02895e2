/*
 * How many processes the suite kills at random. `npm run test:crash:long` asks for ten times as many, and a seed of its
 * own finds other moments.
 */

const asked = Number(process.env.FLUE_CRASH_KILLS ?? 300);

export const KILLS = {
  /** one process after another on a file */
  lives: Math.ceil(asked * 0.3),
  /** several at once */
  crowds: Math.ceil(asked * 0.7),
  seed: Number(process.env.FLUE_CRASH_SEED ?? 1),
} as const;
