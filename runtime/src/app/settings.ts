import {
  EXECUTION_FIELDS,
  type ExecutionSettings,
  HTTP_DEFAULTS,
  type HttpSettings,
  MODEL_FIELDS,
  type ModelSettings,
} from '../contract/limits.ts';
import { misuse } from '../errors/flue-error.ts';
import { unknownField } from '../errors/unknown-field.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Given = Readonly<Record<string, unknown>> | undefined;
type Table = Readonly<Record<string, { readonly default: number; readonly variable: string }>>;

/** STA-08: positive integers, each overridable by its variable. */
export function executionSettings(given: Given, env: Env): ExecutionSettings {
  const settings = read('execution', EXECUTION_FIELDS, given, env, 1) as ExecutionSettings;
  if (settings.leaseMs < 2 * settings.heartbeatMs) {
    throw misuse(
      `execution.leaseMs (${settings.leaseMs}) must be at least twice execution.heartbeatMs (${settings.heartbeatMs}).`,
    );
  }
  return settings;
}

/** RETRY-06: non-negative integers, each overridable by its variable. */
export function modelSettings(given: Given, env: Env): ModelSettings {
  return read('model', MODEL_FIELDS, given, env, 0) as ModelSettings;
}

/** http-and-client section 1: non-negative integers. */
export function httpSettings(given: Given): HttpSettings {
  assertKnown('http', Object.keys(HTTP_DEFAULTS), given);
  const settings: Record<string, number> = { ...HTTP_DEFAULTS };
  for (const [field, value] of Object.entries(given ?? {})) {
    if (value !== undefined) settings[field] = integer(`http.${field}`, value, 0);
  }
  return settings as HttpSettings;
}

function read(group: string, table: Table, given: Given, env: Env, least: number): Record<string, number> {
  assertKnown(group, Object.keys(table), given);
  return Object.fromEntries(
    Object.entries(table).map(([field, { default: fallback, variable }]) => {
      const override = env[variable];
      if (override !== undefined && override !== '')
        return [field, integer(variable, Number(override), least)];
      const value = given?.[field];
      return [field, value === undefined ? fallback : integer(`${group}.${field}`, value, least)];
    }),
  );
}

function assertKnown(group: string, fields: readonly string[], given: Given): void {
  if (given !== undefined && (typeof given !== 'object' || given === null))
    throw misuse(`${group} must be an object.`);
  const problem = unknownField(given ?? {}, fields);
  if (problem) throw misuse(`${group} ${problem}`, 'FLUE5002');
}

function integer(name: string, value: unknown, least: number): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return value;
  throw misuse(`${name} must be ${least > 0 ? 'a positive' : 'a non-negative'} integer.`, 'FLUE5002');
}
