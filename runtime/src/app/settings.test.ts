import { describe, expect, it } from 'vitest';
import { EXECUTION_FIELDS, HTTP_DEFAULTS, MODEL_FIELDS } from '../contract/limits.ts';
import { executionSettings, httpSettings, modelSettings } from './settings.ts';

describe('execution settings', () => {
  it('are the table where nothing else is said (STA-08)', () => {
    expect(executionSettings(undefined, {})).toEqual({
      heartbeatMs: 1000,
      leaseMs: 5000,
      scanMs: 500,
      hungOwnerMs: 30_000,
      settleGraceMs: 5000,
      shutdownMs: 30_000,
      concurrency: 100,
      maxToolResultBytes: 262_144,
    });
  });

  it('take each field from the options, and from its variable before that (STA-08)', () => {
    for (const [field, { variable }] of Object.entries(EXECUTION_FIELDS)) {
      // Both ends of the lease move, so that every single value is a legal one.
      const rest = { heartbeatMs: 10, leaseMs: 9000 };
      expect(executionSettings({ ...rest, [field]: 4321 }, {})).toMatchObject({ [field]: 4321 });
      expect(executionSettings({ ...rest, [field]: 4321 }, { [variable]: '4000' })).toMatchObject({
        [field]: 4000,
      });
      expect(executionSettings({ ...rest, [field]: 4321 }, { [variable]: '' })).toMatchObject({
        [field]: 4321,
      });
    }
  });

  it('are positive integers, named in the refusal (STA-08)', () => {
    for (const bad of [0, -1, 1.5, '5', null, Number.NaN]) {
      expect(() => executionSettings({ scanMs: bad }, {})).toThrow(
        /execution\.scanMs must be a positive integer/,
      );
    }
    for (const bad of ['0', '-1', '1.5', 'soon']) {
      expect(() => executionSettings({}, { FLUE_SCAN_MS: bad })).toThrow(/FLUE_SCAN_MS/);
    }
  });

  it('hold the lease to two heartbeats, whoever set them (STA-08)', () => {
    expect(executionSettings({ leaseMs: 2000 }, {}).leaseMs).toBe(2000);
    expect(() => executionSettings({ leaseMs: 1999 }, {})).toThrow(/leaseMs \(1999\)/);
    expect(() => executionSettings({}, { FLUE_HEARTBEAT_MS: '2501' })).toThrow(/heartbeatMs \(2501\)/);
  });

  it('have no other fields (STA-08)', () => {
    expect(() => executionSettings({ leaseMS: 5000 }, {})).toThrow(
      /no field "leaseMS".*heartbeatMs, leaseMs/,
    );
    expect(() => executionSettings('fast' as never, {})).toThrow(/must be an object/);
  });
});

describe('model settings', () => {
  it('are the table, with zero allowed, overridden by options and variables (RETRY-06)', () => {
    expect(modelSettings(undefined, {})).toEqual({
      retries: 3,
      retryBaseMs: 2000,
      idleTimeoutMs: 300_000,
      requestTimeoutMs: 600_000,
    });
    for (const [field, { variable }] of Object.entries(MODEL_FIELDS)) {
      expect(modelSettings({ [field]: 0 }, {})).toMatchObject({ [field]: 0 });
      expect(modelSettings({ [field]: 7 }, { [variable]: '0' })).toMatchObject({ [field]: 0 });
    }
  });

  it('name the field or the variable that is no non-negative integer (RETRY-06)', () => {
    expect(() => modelSettings({ retries: -1 }, {})).toThrow(/model\.retries must be a non-negative integer/);
    expect(() => modelSettings({}, { FLUE_MODEL_RETRIES: 'x' })).toThrow(/FLUE_MODEL_RETRIES/);
    expect(() => modelSettings({ retry: 1 }, {})).toThrow(/no field "retry"/);
  });
});

describe('http settings', () => {
  it('are the defaults with what is given over them, and nothing unknown', () => {
    expect(httpSettings(undefined)).toEqual(HTTP_DEFAULTS);
    expect(httpSettings({ longPollMs: 5, pageBytes: undefined })).toEqual({
      ...HTTP_DEFAULTS,
      longPollMs: 5,
    });
    expect(() => httpSettings({ longPollMs: -5 })).toThrow(/http\.longPollMs/);
    expect(() => httpSettings({ port: 80 })).toThrow(/no field "port"/);
  });
});
