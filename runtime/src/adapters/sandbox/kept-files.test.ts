import { describe, expect, it } from 'vitest';
import { createKeptFiles } from './kept-files.ts';

type Files = Record<string, number>;

function open() {
  let made = 0;
  const kept = createKeptFiles<Files>({
    most: 3,
    mostBytes: 100,
    bytesOf: async (files) => Object.values(files).reduce((sum, one) => sum + one, 0),
  });
  return {
    kept,
    take: (instance: string) => kept.take(instance, async () => ({ seed: made++ * 0 })),
    made: () => made,
  };
}

describe('files that outlast an attempt', () => {
  it('are made once, under one name of their generation (VIRT-02)', async () => {
    const { take, made } = open();
    const [one, same] = await Promise.all([take('a'), take('a')]);
    expect(same).toEqual(one);
    expect(same.files).toBe(one.files);
    expect((await take('b')).generation).not.toBe(one.generation);
    expect(made()).toBe(2);
  });

  it('of the instances used least recently are dropped beyond a number (VIRT-02)', async () => {
    const { take } = open();
    const first = await take('a');
    for (const instance of ['b', 'c']) await take(instance);
    expect((await take('a')).generation).toBe(first.generation);
    const second = await take('b');
    await take('d'); // c was used before a and b
    expect((await take('b')).generation).toBe(second.generation);
    expect((await take('a')).generation).toBe(first.generation);
    await take('c');
    await take('d');
    expect((await take('b')).generation).not.toBe(second.generation);
  });

  it('are dropped beyond their bytes in total, as they are when their user ends (VIRT-02)', async () => {
    const { kept, take } = open();
    const [a, b] = [await take('a'), await take('b')];
    a.files.big = 60;
    await kept.giveBack('a');
    expect((await take('a')).generation).toBe(a.generation);
    b.files.big = 50;
    await kept.giveBack('b');
    // The latest user is b by then, but a was taken after it.
    expect((await take('a')).generation).toBe(a.generation);
    expect((await take('b')).generation).not.toBe(b.generation);
  });

  it('that could not be made are tried anew (VIRT-02)', async () => {
    const { kept, take } = open();
    const broken = kept.take('a', async () => Promise.reject(new Error('no room')));
    await expect(broken).rejects.toThrow('no room');
    expect((await take('a')).files).toEqual({ seed: 0 });
  });
});
