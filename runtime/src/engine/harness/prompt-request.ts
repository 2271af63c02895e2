import type * as v from 'valibot';
import { RESERVED_TOOLS, THINKING_LEVELS, type ThinkingLevel } from '../../contract/names.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import { InvalidModelSpecifierError } from '../../ports/model-errors.ts';
import { imageFields } from '../image-fields.ts';
import { isSyncSchema } from '../schema.ts';
import { validateTool } from '../tools/define-tool.ts';
import { ToolNameConflictError } from '../tools/errors.ts';
import { pathWithoutJsonForm } from '../tools/json-schema.ts';
import type { PromptImage, ToolDefinition } from '../tools/tool-definition.ts';

/** A prompt that was checked (HARN-07). */
export interface PromptRequest {
  readonly text: string;
  readonly result: v.GenericSchema | undefined;
  readonly tools: readonly ToolDefinition[];
  readonly model: string | undefined;
  readonly thinkingLevel: ThinkingLevel | undefined;
  readonly images: readonly PromptImage[];
}

const OPTION_FIELDS = ['result', 'tools', 'model', 'thinkingLevel', 'signal', 'images'] as const;

type Fields = { readonly [F in (typeof OPTION_FIELDS)[number]]?: unknown };

/**
 * Judges what a prompt was called with, before anything is recorded.
 *
 * @param mounted names of the tools that the agent has mounted (HARN-08)
 */
export function parsePrompt(text: unknown, options: unknown, mounted: readonly string[]): PromptRequest {
  if (typeof text !== 'string' || text.trim() === '') throw refuse('text', 'must be a non-empty string');
  const fields = optionsOf(options);
  if (fields.signal !== undefined && !isSignal(fields.signal)) {
    throw refuse('options.signal', 'must be an AbortSignal');
  }
  return {
    text,
    result: resultOf(fields.result),
    tools: toolsOf(fields.tools, mounted),
    model: modelOf(fields.model),
    thinkingLevel: levelOf(fields.thinkingLevel),
    images: imagesOf(fields.images),
  };
}

/** The caller's signal, which may have fired before anything is judged (CALL-03). */
export function signalOf(options: unknown): AbortSignal | undefined {
  const signal = typeof options === 'object' && options !== null ? (options as Fields).signal : undefined;
  return isSignal(signal) ? signal : undefined;
}

function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === 'boolean' && typeof addEventListener === 'function';
}

function optionsOf(options: unknown): Fields {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw refuse('options', 'must be an object');
  }
  const problem = unknownField(options, OPTION_FIELDS);
  if (problem) throw refuse('options', problem.replace(/\.$/, ''));
  return options;
}

function resultOf(schema: unknown): v.GenericSchema | undefined {
  if (schema === undefined) return undefined;
  if (!isSyncSchema(schema)) throw refuse('options.result', 'must be a synchronous Valibot schema');
  const path = pathWithoutJsonForm(schema);
  if (path !== undefined) {
    throw refuse(`options.result${path}`, 'has no JSON form, so no model can supply it');
  }
  return schema;
}

function toolsOf(tools: unknown, mounted: readonly string[]): readonly ToolDefinition[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw refuse('options.tools', 'must be an array of tool definitions');
  const taken = new Set(mounted);
  for (const tool of tools as readonly unknown[]) {
    validateTool(tool, 'harness.prompt()');
    const { name } = tool;
    const reserved = (RESERVED_TOOLS as readonly string[]).includes(name);
    if (reserved || taken.has(name)) {
      const conflict = reserved ? 'reserved' : 'duplicate';
      throw new ToolNameConflictError({ name, conflict, source: 'custom' });
    }
    taken.add(name);
  }
  return [...(tools as readonly ToolDefinition[])];
}

function modelOf(model: unknown): string | undefined {
  if (model === undefined || typeof model === 'string') return model;
  throw new InvalidModelSpecifierError({ value: model });
}

function levelOf(level: unknown): ThinkingLevel | undefined {
  if (level === undefined) return undefined;
  const known = THINKING_LEVELS.find((one) => one === level);
  if (known) return known;
  throw refuse('options.thinkingLevel', `must be one of ${THINKING_LEVELS.join(', ')}`);
}

function imagesOf(images: unknown): readonly PromptImage[] {
  if (images === undefined) return [];
  if (!Array.isArray(images)) throw refuse('options.images', 'must be an array');
  return images.map((image: unknown, index) => {
    const { type, data, mimeType } = imageFields(image, `options.images[${index}]`, refuse);
    return { type, data, mimeType };
  });
}

function refuse(field: string, rule: string): InvalidRequestError {
  return new InvalidRequestError({ field, rule });
}
