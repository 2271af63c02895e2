import { describe, expect, it } from 'vitest';
import { type FlueStore, type PersistenceAdapter, STORE_METHODS } from '../ports/store.ts';
import { checkedAdapter } from './checked-adapter.ts';

describe('an adapter', () => {
  it('without connect() is refused by the name of where it came from (ADP-03)', () => {
    for (const none of [undefined, {}, { migrate() {} }] as (PersistenceAdapter | undefined)[]) {
      expect(() => checkedAdapter(none, 'db.ts')).toThrow(
        '[flue] db.ts: the adapter has no connect() method.',
      );
    }
  });

  it('whose store lacks a method is refused by that method, whichever it is (ADP-03)', async () => {
    const whole = Object.fromEntries(STORE_METHODS.map((method) => [method, () => {}]));
    for (const method of STORE_METHODS) {
      const store = { ...whole, [method]: undefined } as unknown as FlueStore;
      await expect(checkedAdapter({ connect: () => store }, 'start({ db })').connect()).rejects.toThrow(
        `[flue] start({ db }): the store that connect() returned has no ${method}() method.`,
      );
    }
    const store = whole as unknown as FlueStore;
    expect(await checkedAdapter({ connect: () => store }, 'db.ts').connect()).toBe(store);
  });

  it('that is an instance of a class keeps what it is (ADP-01)', async () => {
    const store = Object.fromEntries(
      STORE_METHODS.map((method) => [method, () => {}]),
    ) as unknown as FlueStore;
    class Adapter implements PersistenceAdapter {
      calls: string[] = [];
      get ephemeral() {
        return true;
      }
      migrate() {
        this.calls.push('migrate');
      }
      connect() {
        this.calls.push('connect');
        return store;
      }
      close() {
        this.calls.push('close');
      }
    }
    const adapter = new Adapter();
    const checked = checkedAdapter(adapter, 'db.ts');
    await checked.migrate?.();
    await checked.connect();
    await checked.close?.();
    expect([adapter.calls, checked.ephemeral]).toEqual([['migrate', 'connect', 'close'], true]);
  });
});
