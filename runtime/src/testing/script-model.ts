import { Script } from '../adapters/offline/script.ts';
import { installScript } from '../adapters/offline/script-source.ts';
import {
  parseScript,
  type ScriptDefinition,
  type ScriptRequest,
  type ScriptStep,
} from '../adapters/offline/script-step.ts';
import { misuse } from '../errors/flue-error.ts';

export type {
  ScriptDefinition,
  ScriptRequest,
  ScriptStep,
} from '../adapters/offline/script-step.ts';

/** A running script (SCR-09). */
export interface ScriptModel {
  /** every request so far, oldest first */
  readonly requests: readonly ScriptRequest[];
  /** steps that no request has taken yet */
  readonly remaining: number;
  append(steps: readonly ScriptStep[]): void;
  /** starts again: the first step is next, `requests` is empty */
  reset(): void;
  /** throws when steps are left */
  assertDone(): void;
}

/**
 * Makes `offline/script` of this process play these steps (SCR-01), in place of any former script. A plain `Error` names
 * the index and field of an invalid step.
 *
 * ```ts
 * const script = scriptModel({ steps: [{ toolCalls: [{ name: 'lookup', arguments: { id: 'A-1' } }] }, { text: 'Done.' }] });
 * ```
 */
export function scriptModel(definition: ScriptDefinition): ScriptModel {
  const script = new Script(parseScript(definition, 'scriptModel()'));
  installScript(script);
  return {
    get requests() {
      return script.requests;
    },
    get remaining() {
      return script.remaining;
    },
    append: (steps) => script.append(steps),
    reset: () => script.reset(),
    assertDone() {
      if (script.remaining > 0) {
        throw misuse(
          `offline/script: ${script.remaining} steps were never asked for, after ${script.requests.length} requests.`,
        );
      }
    },
  };
}
