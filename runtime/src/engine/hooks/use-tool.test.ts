import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { RESERVED_TOOLS } from '../../contract/names.ts';
import { defineTool } from '../tools/define-tool.ts';
import { ToolNameConflictError } from '../tools/errors.ts';
import { renderHooks } from './probe.test.support.ts';
import { useTool } from './use-tool.ts';

const options = { name: 'lookup', description: 'd', run: () => null };
const mount = (...tools: object[]) =>
  renderHooks('bare', () => tools.forEach((tool) => void useTool(tool as never)));

describe('useTool', () => {
  it('takes a definition and the same object inline (MOUNT-01)', () => {
    const defined = defineTool({ ...options, name: 'defined' });
    expect(mount(defined, options).tools).toEqual([defined, options]);
  });

  it('checks an inline object as defineTool does, with the same words (MOUNT-01)', () => {
    for (const fault of [{ description: '' }, { input: v.string() }, { timeoutMs: 0 }, { harness: 1 }]) {
      const messageOf = (call: () => unknown) => {
        try {
          call();
        } catch (error) {
          return (error as Error).message.replace(/^\[flue\] \w+\(\)/, '');
        }
        return undefined;
      };
      const defined = messageOf(() => defineTool({ ...options, ...fault } as never));
      expect(messageOf(() => mount({ ...options, ...fault }))).toBe(defined);
      expect(defined).toContain(': tool "lookup"');
    }
  });

  it('mounts per render, so a condition gives and takes (MOUNT-02)', () => {
    let approved = false;
    const agent = () => {
      if (approved) useTool(options);
    };
    expect(renderHooks('bare', agent).tools).toEqual([]);
    approved = true;
    expect(renderHooks('bare', agent).tools).toEqual([options]);
  });

  it('uses the fields in force of a spread definition (TOOL-09)', () => {
    const defined = defineTool(options);
    const run = () => 1;
    expect(mount({ ...defined, run }).tools[0]).toMatchObject({ name: 'lookup', run });
    expect(() => mount({ ...defined, run: 1 })).toThrow('"run" must be a function');
  });

  it('throws a duplicate name from the second mount (MOUNT-03, AGENT-11)', () => {
    let mounted = 0;
    const twice = () =>
      renderHooks('bare', () => {
        useTool(options);
        mounted++;
        useTool({ ...options });
        mounted++;
      });
    expect(twice).toThrow(ToolNameConflictError);
    expect(twice).toThrow(
      expect.objectContaining({
        type: 'tool_name_conflict',
        meta: { name: 'lookup', conflict: 'duplicate', source: 'custom', rule: 'FLUE2104' },
      }),
    );
    expect(mounted).toBe(2);
  });

  it.each(RESERVED_TOOLS)('throws for the reserved name %s (MOUNT-03, NAME-02, NAME-03)', (name) => {
    expect(() => mount({ ...options, name })).toThrow(
      expect.objectContaining({
        type: 'tool_name_conflict',
        meta: { name, conflict: 'reserved', source: 'custom', rule: 'FLUE3004' },
      }),
    );
  });
});
