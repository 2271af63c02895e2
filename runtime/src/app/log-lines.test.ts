import { describe, expect, it } from 'vitest';
import type { LogLine } from '../engine/logger.ts';
import { createLogLines, logSettings } from './log-lines.ts';

const line = (level: LogLine['level'], message = level as string): LogLine => ({
  level,
  message,
  attributes: {},
});

function printed(
  env: Record<string, string>,
  lines: readonly LogLine[],
  mode: 'development' | 'production' = 'production',
) {
  const texts: string[] = [];
  const print = createLogLines(logSettings(env, mode), (text) => texts.push(text));
  for (const one of lines) print(one);
  return texts;
}

describe('lines of log', () => {
  const all = [line('info'), line('warn'), line('error')];

  it.each([
    [{}, 2],
    [{ FLUE_LOG: 'off' }, 0],
    [{ FLUE_LOG: 'error' }, 1],
    [{ FLUE_LOG: 'warn' }, 2],
    [{ FLUE_LOG: 'info' }, 3],
  ])('with %j, %i of three levels are printed (LOGE-05)', (env, count) => {
    expect(printed(env as Record<string, string>, all)).toHaveLength(count);
  });

  it('in development begin with info (LOGE-05)', () => {
    expect(printed({}, all, 'development')).toEqual([
      '[flue] info info\n',
      '[flue] warn warn\n',
      '[flue] error error\n',
    ]);
  });

  it('are one line each, which no text can forge, as text or as JSON (LOGE-05, RED-06)', () => {
    const forged: LogLine = {
      level: 'warn',
      message: 'a\n[flue] error b',
      attributes: { note: '\u009b31m\r\n' },
    };
    expect(printed({}, [forged])).toEqual(['[flue] warn a\\n[flue] error b {"note":"\\u009b31m\\r\\n"}\n']);
    const [json] = printed({ FLUE_LOG_FORMAT: 'json' }, [forged]);
    expect(json).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(JSON.parse(json!)).toEqual(forged);
  });

  it('are refused by name where the environment asks for something else (LOGE-05)', () => {
    expect(() => logSettings({ FLUE_LOG: 'debug' }, 'production')).toThrow(
      '[flue] start(): FLUE_LOG must be one of off, error, warn, info, not "debug".',
    );
    expect(() => logSettings({ FLUE_LOG_FORMAT: 'xml' }, 'production')).toThrow(
      /FLUE_LOG_FORMAT must be one of text, json/,
    );
  });
});
