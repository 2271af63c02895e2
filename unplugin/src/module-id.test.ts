import { describe, expect, it } from 'vitest';
import { moduleId } from './module-id.ts';

describe('the id of a module', () => {
  it.each([
    ['C:\\p\\src\\agents\\a.ts', 'c:/p/src/agents/a.ts'],
    ['c:/p/src/agents/a.ts', 'c:/p/src/agents/a.ts'],
    ['C:/p/src\\agents/a.ts', 'c:/p/src/agents/a.ts'],
    ['\\\\server\\share\\a.ts', '//server/share/a.ts'],
    ['/p/src/agents/a.ts', '/p/src/agents/a.ts'],
    ['/p/a\\b.ts', '/p/a\\b.ts'],
    ['\0flue:virtual:flue/app', '\0flue:virtual:flue/app'],
  ])('of %j is %j (RULE-11, PC-021)', (path, id) => {
    expect(moduleId(path)).toBe(id);
  });
});
