import { describe, expect, it } from 'vitest';
import { compactionLimits } from './limits.ts';

const model = (contextWindow: number, maxTokens = 8_192) => ({ contextWindow, maxTokens });

describe('the limits of a compaction', () => {
  it('keep 8,000 tokens and reserve what the model may say, at most 20,000 (CMP-02)', () => {
    expect(compactionLimits({}, model(200_000))).toEqual({
      reserveTokens: 8_192,
      keepRecentTokens: 8_000,
      room: 191_808,
      threshold: 191_808,
    });
    expect(compactionLimits({}, model(200_000, 64_000)).reserveTokens).toBe(20_000);
    expect(compactionLimits({}, model(200_000, 0)).reserveTokens).toBe(20_000);
  });

  it('reserve a third of a small window, and never less than 1,024 (CMP-02)', () => {
    expect(compactionLimits({}, model(16_384)).reserveTokens).toBe(5_461);
    expect(compactionLimits({}, model(16_385)).reserveTokens).toBe(8_192);
    expect(compactionLimits({}, model(2_000)).reserveTokens).toBe(1_024);
  });

  it('are what the agent says, where it says so (CMP-01, CMP-02)', () => {
    const limits = compactionLimits({ reserveTokens: 1_000, keepRecentTokens: 0 }, model(16_000));
    expect(limits).toEqual({ reserveTokens: 1_000, keepRecentTokens: 0, room: 15_000, threshold: 15_000 });
  });

  it('keep less than there is room for, or a compaction would gain nothing', () => {
    expect(compactionLimits({}, model(8_000)).keepRecentTokens).toBe(Math.floor((8_000 - 2_666) * 0.75));
  });

  it('have no threshold without a known window, nor with `false`, which leaves the rest as it is (CMP-03, PC-026)', () => {
    expect(compactionLimits({}, model(0))).toMatchObject({ room: undefined, threshold: undefined });
    expect(compactionLimits(false, model(16_385))).toEqual({
      reserveTokens: 8_192,
      keepRecentTokens: 6_144,
      room: 8_193,
      threshold: undefined,
    });
  });
});
