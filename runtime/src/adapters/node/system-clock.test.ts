import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepAlive } from './keep-alive.ts';
import { systemClock } from './system-clock.ts';
import { ulidIds } from './ulid-ids.ts';

const DAY_MS = 86_400_000;

describe('the wall clock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('runs a timer once, at its time, unless it was cancelled', () => {
    const fired: string[] = [];
    systemClock.timer(100, () => fired.push('kept'));
    systemClock.timer(100, () => fired.push('cancelled'))();
    vi.advanceTimersByTime(99);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(fired).toEqual(['kept']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits longer than the platform can in one step, as a timeout of a month needs (STATIC-05, BUD-06)', () => {
    let fired = 0;
    const count = () => {
      fired += 1;
    };
    systemClock.timer(60 * DAY_MS, count);
    const cancel = systemClock.timer(60 * DAY_MS, count);
    vi.advanceTimersByTime(59 * DAY_MS);
    expect(fired).toBe(0);
    cancel();
    vi.advanceTimersByTime(DAY_MS);
    expect(fired).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('sleeps until the time or the signal, and leaves no timer and no listener behind (RETRY-09)', async () => {
    const controller = new AbortController();
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const slept = systemClock.sleep(100, controller.signal);
    await vi.advanceTimersByTimeAsync(100);
    await slept;
    expect(remove).toHaveBeenCalledOnce();
    const cut = systemClock.sleep(100, controller.signal);
    controller.abort(new Error('enough'));
    await expect(cut).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
    await expect(systemClock.sleep(100, controller.signal)).rejects.toThrow('enough');
  });
});

describe('the process', () => {
  it('is kept alive by held work and by no timer (STA-07)', () => {
    const handles = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = handles();
    const cancel = systemClock.timer(60_000, () => {});
    expect(handles()).toBe(before);
    cancel();
    const release = keepAlive();
    expect(handles()).toBe(before + 1);
    release();
    expect(handles()).toBe(before);
  });
});

it('ids ascend, also within one millisecond', () => {
  const ids = ulidIds();
  const made = Array.from({ length: 1000 }, () => ids.ulid());
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(1000);
});
