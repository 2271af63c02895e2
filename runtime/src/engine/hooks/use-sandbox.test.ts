import { describe, expect, expectTypeOf, it } from 'vitest';
import { virtual } from '../../adapters/sandbox/virtual.ts';
import type { SandboxFactory } from '../sandbox/session-tool.ts';
import { renderHooks } from './probe.test.support.ts';
import { useSandbox } from './use-sandbox.ts';

const render = (...args: unknown[]) => renderHooks('bare', () => useSandbox(...(args as [SandboxFactory])));

describe('useSandbox', () => {
  it('declares a factory and where to start, and runs nothing (SBX-02)', () => {
    const factory = {
      createSessionEnv: () => {
        throw new Error('not now');
      },
    };
    expect(render(factory).sandbox).toEqual({ factory });
    expect(render(factory, { cwd: 'src' }).sandbox).toEqual({ factory, cwd: 'src' });
    const alias = { createSandbox: factory.createSessionEnv };
    expect(render(alias).sandbox).toEqual({ factory: alias });
  });

  it.each([
    [[undefined], /takes a sandbox factory.*\(FLUE2402\)$/],
    [[() => {}], /takes a sandbox factory/],
    [[{ createSessionEnv: 'x' }], /takes a sandbox factory/],
    [[{ ...virtual(), tools: [] }], /`tools` .* must be a function\. \(FLUE2402\)$/],
    [[virtual(), 'src'], /options must be an object\. \(FLUE2401\)$/],
    [[virtual(), { dir: 'x' }], /options has no field "dir".*\(FLUE2401\)$/],
    [[virtual(), { cwd: ' ' }], /cwd must be a non-empty string\. \(FLUE2401\)$/],
    [[virtual(), { cwd: 1 }], /cwd must be a non-empty string/],
  ])('refuses %j (SBXH-01)', (args, message) => {
    expect(() => render(...args)).toThrow(message);
  });

  it('is called once (SBXH-01)', () => {
    const twice = () =>
      renderHooks('bare', () => {
        useSandbox(virtual());
        useSandbox(virtual());
      });
    expect(twice).toThrow(/useSandbox\(\) was called twice in one render.*\(FLUE2103\)$/);
  });

  it('takes what adapters give, with tools or without', () => {
    expectTypeOf(virtual()).toExtend<SandboxFactory>();
    expectTypeOf(useSandbox).parameter(0).toEqualTypeOf<SandboxFactory>();
    expectTypeOf(useSandbox).returns.toEqualTypeOf<void>();
  });
});
