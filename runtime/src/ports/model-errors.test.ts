import { expect, it } from 'vitest';
import { ERROR_TYPES } from '../contract/codes.ts';
import { FlueError } from '../errors/flue-error.ts';
import * as errors from './model-errors.ts';

/** One row per class: how to build it, its stable `meta` keys, and names that only `dev` may say. */
const rows = [
  {
    error: new errors.InvalidModelSpecifierError({ value: 'nope' }),
    name: 'InvalidModelSpecifierError',
    meta: ['rule'],
    onlyInDev: ['offline/demo'],
  },
  {
    error: new errors.UnknownProviderError({
      specifier: 'opnai/x',
      providerId: 'opnai',
      suggestions: ['openai'],
      registered: ['offline', 'openai'],
    }),
    name: 'UnknownProviderError',
    meta: ['specifier', 'providerId', 'suggestions', 'registered', 'rule'],
    onlyInDev: ["'openai'"],
  },
  {
    error: new errors.UnknownModelError({
      specifier: 'openai/gpt',
      suggestions: ['gpt-5'],
      declared: ['gpt-5'],
    }),
    name: 'UnknownModelError',
    meta: ['specifier', 'suggestions', 'declared', 'declaredCount', 'rule'],
    onlyInDev: ['gpt-5'],
  },
  {
    error: new errors.UnknownProviderApiError({
      providerId: 'mine',
      api: 'openai',
      suggestions: ['openai-responses'],
      known: ['openai-responses'],
    }),
    name: 'UnknownProviderApiError',
    meta: ['providerId', 'api', 'suggestions', 'known'],
    onlyInDev: ['openai-responses'],
  },
  {
    error: new errors.ProviderNotConfiguredError({ providerId: 'openai', envVars: ['OPENAI_API_KEY'] }),
    name: 'ProviderNotConfiguredError',
    meta: ['providerId', 'envVars'],
    onlyInDev: ['OPENAI_API_KEY'],
  },
  {
    error: new errors.ProviderRegistrationError({
      providerId: 'mine',
      fault: 'no url',
      remedy: 'Give it one.',
    }),
    name: 'ProviderRegistrationError',
    meta: ['providerId'],
    onlyInDev: ['Give it one.'],
  },
] as const;

it.each(rows)(
  '$name is typed, and says to callers nothing that is the developer’s (ERR-01, ERR-03, ERR-05)',
  (row) => {
    const { error, name, meta, onlyInDev } = row;
    expect(error).toBeInstanceOf(FlueError);
    expect(error).toMatchObject({ name, type: ERROR_TYPES[name] });
    expect(Object.keys(error.meta ?? {}).sort()).toEqual([...meta].sort());
    for (const words of onlyInDev) {
      expect(error.dev).toContain(words);
      expect(error.message + error.details).not.toContain(words);
    }
  },
);

it('the errors that a rule finds ahead of time name the rule (ERR-12)', () => {
  expect(rows.map(({ error }) => error.meta?.rule)).toEqual([
    'FLUE2403',
    'FLUE2404',
    'FLUE2405',
    undefined,
    undefined,
    undefined,
  ]);
});
