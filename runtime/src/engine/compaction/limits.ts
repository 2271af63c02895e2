import type { ModelInfo } from '../../ports/model-gateway.ts';
import type { CompactionConfig } from './compaction-config.ts';

/** What compaction aims at for one model, in tokens (CMP-02, CMP-03). */
export interface CompactionLimits {
  readonly reserveTokens: number;
  readonly keepRecentTokens: number;
  /** the largest request that leaves the reserve free; `undefined` where the window is unknown */
  readonly room: number | undefined;
  /** more than this is compacted before the next call; `undefined`: never by itself */
  readonly threshold: number | undefined;
}

const KEEP_RECENT_TOKENS = 8_000;
const RESERVE_TOKENS = 20_000;
const LEAST_RESERVE_TOKENS = 1_024;
/** A tail that takes more of the room would leave a compaction nothing to gain. */
const LARGEST_TAIL = 0.75;

export function compactionLimits(
  config: false | CompactionConfig,
  { contextWindow, maxTokens }: Pick<ModelInfo, 'contextWindow' | 'maxTokens'>,
): CompactionLimits {
  const given = config || {};
  const reserveTokens = given.reserveTokens ?? defaultReserve(contextWindow, maxTokens);
  const room = contextWindow > 0 ? contextWindow - reserveTokens : undefined;
  const keep = given.keepRecentTokens ?? KEEP_RECENT_TOKENS;
  return {
    reserveTokens,
    keepRecentTokens:
      room === undefined ? keep : Math.min(keep, Math.max(0, Math.floor(room * LARGEST_TAIL))),
    room,
    threshold: config === false ? undefined : room,
  };
}

function defaultReserve(contextWindow: number, maxTokens: number): number {
  const reserve = Math.min(RESERVE_TOKENS, maxTokens > 0 ? maxTokens : RESERVE_TOKENS);
  if (contextWindow <= 0 || reserve * 2 < contextWindow) return reserve;
  return Math.max(LEAST_RESERVE_TOKENS, Math.floor(contextWindow / 3));
}
