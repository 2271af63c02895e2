import { expect, it } from 'vitest';
import {
  call,
  failed,
  message,
  opened,
  result,
  story,
} from '../../conversation/fold/fixtures/stories.fixture.ts';
import { ROOT } from '../../conversation/fold/state.ts';
import { toldFiles } from './told-files.ts';

const use = (id: string, part: number, tool: string, path: string) => ({
  ...call(id, part, tool),
  args: JSON.stringify({ path }),
});

it('lists the paths that calls of the built-in tools read and modified, after those known before (CMP-08)', () => {
  const told = story(...opened)
    .tell(
      message(1, [
        use('c1', 0, 'read', 'b.ts'),
        use('c2', 1, 'read', 'a.ts'),
        use('c3', 2, 'edit', 'a.ts'),
        use('c4', 3, 'write', 'gone.ts'),
        use('c5', 4, 'look', 'other.ts'),
      ]),
    )
    .tell(
      result('c1', { tool: 'read' }),
      result('c2', { tool: 'read' }),
      result('c3', { tool: 'edit' }),
      failed('c4', { tool: 'write' }),
      result('c5'),
    );
  const { entries } = told.state.windows.get(ROOT)!;
  expect(toldFiles(entries, undefined)).toEqual({ read: ['b.ts'], modified: ['a.ts'] });
  expect(toldFiles(entries, { read: ['c.ts', 'a.ts'], modified: ['b.ts'] })).toEqual({
    read: ['c.ts'],
    modified: ['a.ts', 'b.ts'],
  });
});
