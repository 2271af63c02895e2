import type * as v from 'valibot';
import { DURABILITY_DEFAULTS } from '../contract/limits.ts';
import { DURABILITY_FIELDS } from '../contract/names.ts';
import { misuse } from '../errors/flue-error.ts';
import { unknownField } from '../errors/unknown-field.ts';
import { isSyncSchema } from './schema.ts';

/** What the runtime hands to the function of an addressed agent; a delegate's function gets nothing (AGENT-13). */
export interface AgentProps {
  /** the instance id, constant for the instance's life (AGENT-14) */
  id: string;
}

/** A synchronous function whose hooks attach capabilities and whose returned string is its instruction (AGENT-01). */
export type AgentFunction<P = void> = P extends void
  ? () => string | undefined | void
  : (props: P) => string | undefined | void;

/** How often and how long one submission is tried (STATIC-05). */
export interface DurabilityConfig {
  /** attempts in total, the first included; positive integer, default 10 */
  maxAttempts?: number;
  /** milliseconds of wall clock from the first attempt's start; positive integer, default 3,600,000 */
  timeoutMs?: number;
}

/** What is read of an agent without running it (STATIC-01). */
export interface AgentStatics {
  /** durable identity, in place of the function's own name */
  agentName?: string;
  /** Valibot schema of the data that creates an instance; synchronous */
  initialData?: v.GenericSchema;
  durability?: DurabilityConfig;
}

/** The addressable unit: every API that takes an agent takes this function value itself (AGENT-01). */
export type Agent = AgentFunction<AgentProps> & AgentStatics;

/** Fills the defaults in. Throws for an unknown field or a value that is no positive integer (STATIC-05, STATIC-06). */
export function parseDurability(value: unknown, agent: string): Required<DurabilityConfig> {
  if (value === undefined) return { ...DURABILITY_DEFAULTS };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw misuse(`durability of agent "${agent}" must be an object, not ${describe(value)}.`, 'FLUE1109');
  }
  const problem = unknownField(value, DURABILITY_FIELDS);
  if (problem) throw misuse(`durability of agent "${agent}" ${problem}`, 'FLUE1109');
  for (const [field, limit] of Object.entries(value)) {
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw misuse(
        `durability.${field} of agent "${agent}" must be a positive integer, not ${describe(limit)}.`,
        'FLUE1109',
      );
    }
  }
  const { maxAttempts, timeoutMs }: DurabilityConfig = value;
  return {
    maxAttempts: maxAttempts ?? DURABILITY_DEFAULTS.maxAttempts,
    timeoutMs: timeoutMs ?? DURABILITY_DEFAULTS.timeoutMs,
  };
}

/** The `initialData` static. Throws for what is no synchronous Valibot schema (STATIC-07). */
export function parseInitialDataSchema(value: unknown, agent: string): v.GenericSchema | undefined {
  if (value === undefined || isSyncSchema(value)) return value;
  throw misuse(`initialData of agent "${agent}" must be a synchronous Valibot schema.`, 'FLUE1110');
}

function describe(value: unknown): string {
  return typeof value === 'number' || typeof value === 'string' ? JSON.stringify(value) : typeof value;
}
