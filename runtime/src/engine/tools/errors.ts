import type * as v from 'valibot';
import type { RuleCode } from '../../contract/codes.ts';
import { FlueError } from '../../errors/flue-error.ts';

/** One complaint of a schema, in the shape of Standard Schema (CLS-01). */
export interface ToolIssue {
  readonly message: string;
  readonly path?: PropertyKey[];
}

export function toolIssues(issues: readonly v.BaseIssue<unknown>[]): ToolIssue[] {
  return issues.map(({ message, path }) =>
    path ? { message, path: path.map((item) => item.key as PropertyKey) } : { message },
  );
}

/** A tool name that another tool of the render has, or that the framework keeps for itself (NAME-03, MOUNT-03). */
export class ToolNameConflictError extends FlueError {
  constructor(conflict: {
    readonly name: string;
    readonly conflict: 'reserved' | 'duplicate';
    readonly source: 'custom' | 'adapter' | 'builtin' | 'mcp';
  }) {
    super({
      type: 'tool_name_conflict',
      message:
        conflict.conflict === 'reserved'
          ? `The tool name "${conflict.name}" is reserved by the framework.`
          : conflict.source === 'builtin'
            ? `The tool name "${conflict.name}" is that of a built-in tool of the environment.`
            : `Two tools are named "${conflict.name}" in one render.`,
      dev: 'Every active tool needs a name of its own: rename one, or mount only one of them.',
      meta: { ...conflict, rule: ruleOf(conflict) },
    });
  }
}

function ruleOf({ conflict, source }: { readonly conflict: string; readonly source: string }): RuleCode {
  if (conflict === 'reserved') return 'FLUE3004';
  return source === 'builtin' ? 'FLUE3005' : 'FLUE2104';
}

/** The model's arguments do not fit `input`; `run` was not called (TCALL-03). */
export class ToolInputValidationError extends FlueError {
  constructor(fault: { readonly tool: string; readonly issues: readonly ToolIssue[] }) {
    super({
      type: 'tool_input_validation',
      message:
        `The arguments of "${fault.tool}" do not fit its input schema: ${listIssues(fault.issues)}. ` +
        'Correct them and call the tool again.',
      meta: { tool: fault.tool, issues: fault.issues },
    });
  }
}

/** What `run` returned does not fit `output` (TCALL-08). `missing`: it returned nothing. */
export class ToolOutputValidationError extends FlueError {
  constructor(fault: {
    readonly tool: string;
    readonly issues: readonly ToolIssue[];
    readonly missing?: boolean;
  }) {
    const rule: RuleCode = 'FLUE3011';
    super({
      type: 'tool_output_validation',
      message: `The result of "${fault.tool}" does not fit its output schema: ${listIssues(fault.issues)}.`,
      meta: { tool: fault.tool, issues: fault.issues, ...(fault.missing && { rule }) },
    });
  }
}

/** What `run` returned, or what `output` made of it, is not JSON (TCALL-08). `problem` names the path. */
export class ToolOutputSerializationError extends FlueError {
  constructor(fault: { readonly tool: string; readonly problem: string; readonly cause?: unknown }) {
    super({
      type: 'tool_output_serialization',
      message: `The result of "${fault.tool}" cannot be recorded: ${fault.problem}`,
      meta: { tool: fault.tool, rule: 'FLUE3010' satisfies RuleCode },
      cause: fault.cause,
    });
  }
}

/** A definition in the shape of older agent libraries (TOOL-06). */
export class ToolLegacyDefinitionError extends FlueError {
  constructor(fault: { readonly fields: readonly string[] }) {
    const fields = fault.fields.map((field) => `"${field}"`).join(' and ');
    super({
      type: 'tool_legacy_definition',
      message: `A tool is defined by "input" and "run"; ${fields} belong to an older shape.`,
      dev: 'Rename "parameters" to "input" and give it a Valibot object schema; rename "execute" to "run".',
      meta: { fields: fault.fields, rule: 'FLUE3002' satisfies RuleCode },
    });
  }
}

function listIssues(issues: readonly ToolIssue[]): string {
  return issues.map(({ message, path }) => (path ? `${pathText(path)}: ${message}` : message)).join('; ');
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index === 0 ? '' : '.'}${String(key)}`))
    .join('');
}
