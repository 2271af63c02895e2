import { describe, expect, it } from 'vitest';
import { FlueError } from '../../errors/flue-error.ts';
import * as errors from './errors.ts';

const issues = [{ message: 'Expected a string', path: ['a', 0, 'b c'] }, { message: 'Unknown key' }];

const cases = [
  {
    error: new errors.ToolNameConflictError({ name: 'task', conflict: 'reserved', source: 'custom' }),
    name: 'ToolNameConflictError',
    type: 'tool_name_conflict',
    meta: { name: 'task', conflict: 'reserved', source: 'custom', rule: 'FLUE3004' },
  },
  {
    error: new errors.ToolInputValidationError({ tool: 't', issues }),
    name: 'ToolInputValidationError',
    type: 'tool_input_validation',
    meta: { tool: 't', issues },
  },
  {
    error: new errors.ToolOutputValidationError({ tool: 't', issues }),
    name: 'ToolOutputValidationError',
    type: 'tool_output_validation',
    meta: { tool: 't', issues },
  },
  {
    error: new errors.ToolOutputSerializationError({ tool: 't', problem: 'output.a is a bigint.' }),
    name: 'ToolOutputSerializationError',
    type: 'tool_output_serialization',
    meta: { tool: 't' },
  },
  {
    error: new errors.ToolLegacyDefinitionError({ fields: ['execute'] }),
    name: 'ToolLegacyDefinitionError',
    type: 'tool_legacy_definition',
    meta: { fields: ['execute'], rule: 'FLUE3002' },
  },
];

describe('errors of tools', () => {
  it.each(cases)(
    '$name has its stable name, type and meta (STB-01, ERR-05)',
    ({ error, name, type, meta }) => {
      expect(error).toBeInstanceOf(FlueError);
      expect(error).toMatchObject({ name, type, meta });
      expect(error.message).not.toMatch(/\n|\/src\/| at /);
    },
  );

  it('have a case each', () => {
    expect(cases.map(({ name }) => name).sort()).toEqual(
      Object.keys(errors)
        .filter((key) => key.startsWith('Tool'))
        .sort(),
    );
  });

  it('give each issue with its path (CLS-03)', () => {
    const { message } = new errors.ToolInputValidationError({ tool: 't', issues });
    expect(message).toContain('a[0].b c: Expected a string; Unknown key');
  });

  it('tell a reserved name from one taken twice (NAME-03)', () => {
    const of = (conflict: 'reserved' | 'duplicate') =>
      new errors.ToolNameConflictError({ name: 'x', conflict, source: 'custom' }).message;
    expect(of('reserved')).toContain('reserved by the framework');
    expect(of('duplicate')).toContain('Two tools are named "x"');
  });
});
