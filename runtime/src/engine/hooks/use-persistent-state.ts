import { misuse } from '../../errors/flue-error.ts';
import { cloneJson } from '../json-value.ts';
import { assertWritable, claim, frameOf } from './frame.ts';

/** Writes a value, or what an updater makes of the value now in force (STATE-05). */
export type StateSetter<T> = (value: T | ((previous: T) => T)) => void;

/**
 * One named value of the instance that outlives the process. The value is the one in force at this render; the default
 * stands in where nothing was written yet and is itself never stored (STATE-02). The setter works in tools and event
 * hooks until their attempt ends; its write commits with the tool batch or seam that made it (STATE-08). The type
 * parameter is not checked against what is stored (STATE-11).
 */
export function usePersistentState<T>(name: string, defaultValue: T): [T, StateSetter<T>];
export function usePersistentState<T = unknown>(name: string): [T | undefined, StateSetter<T | undefined>];
export function usePersistentState(name: string, defaultValue?: unknown): [unknown, StateSetter<unknown>] {
  const frame = frameOf('usePersistentState');
  if (typeof name !== 'string' || name === '') {
    throw misuse('usePersistentState() takes a name that is not empty: it is the storage key.', 'FLUE2402');
  }
  const { found, value } = frame.inputs.readState(name);
  claim(frame, 'usePersistentState', name);
  frame.states.push(name);

  // A copy, so that what an author does to it is not what the next render starts from (STATE-03).
  const initial = () => cloneJson(defaultValue);
  const setter: StateSetter<unknown> = (next) => {
    assertWritable(frame, `The setter of state "${name}"`);
    frame.inputs.writeState(
      name,
      typeof next === 'function'
        ? (previous: unknown) => next(previous === undefined ? initial() : previous)
        : next,
    );
  };
  return [found ? value : initial(), setter];
}
