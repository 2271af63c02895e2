import type { FlueStore, PersistenceAdapter } from '../../ports/store.ts';

/** An adapter as the suite drives it. Every adapter is handed over unopened; the suite migrates, connects and closes. */
export interface StoreTarget {
  /** A fresh, empty store whose clock is `now`, epoch milliseconds. */
  create(now: () => number): Promise<PersistenceAdapter>;
  /** A second, independent connection to what `create` made last. */
  connect2(): Promise<PersistenceAdapter>;
  /** The same data again after a close; absent when nothing outlives the process. */
  reopen?(): Promise<PersistenceAdapter>;
  /** Removes what `create` made last; everything is closed by then. */
  cleanup(): Promise<void>;
  /**
   * Steps of the model test.
   * @default 10000
   */
  readonly modelSteps?: number;
}

/** The part of a test runner that the suite uses: Vitest's, Jest's, or a shim in another host. */
export interface TestRunner {
  describe(title: string, body: () => void): void;
  it: ((title: string, body: () => Promise<void>, timeoutMs?: number) => void) & {
    skip(title: string, body: () => Promise<void>): void;
  };
  expect(value: unknown): Expectation;
}

export interface Expectation {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: object): void;
  toBeLessThan(expected: number): void;
  toBeGreaterThan(expected: number): void;
  toBeUndefined(): void;
}

/** One store in a test: its connections, its clock, and a way to lose it. */
export interface Fixture {
  readonly store: FlueStore;
  readonly adapter: PersistenceAdapter;
  /** the store's time, epoch milliseconds */
  readonly clock: { now: number };
  /** another connection to the same data */
  second(): Promise<FlueStore>;
  /** Closes every connection and opens the data again. */
  restart(): Promise<FlueStore>;
}

/** What a group of the suite registers its scenarios with. */
export interface Suite {
  readonly modelSteps: number;
  readonly expect: TestRunner['expect'];
  scenario(title: string, body: (fixture: Fixture) => Promise<void>): void;
  /** For what needs data that outlives its connection; skipped visibly where nothing does. */
  durableScenario(title: string, body: (fixture: Fixture) => Promise<void>): void;
}
