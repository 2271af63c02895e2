import type { LogLine } from '../engine/logger.ts';
import { misuse } from '../errors/flue-error.ts';
import { escapeControls } from './escape-controls.ts';

const LEVELS = ['error', 'warn', 'info'] as const;

/** How much of the log is printed, and in which form. */
export interface LogSettings {
  readonly level: 'off' | (typeof LEVELS)[number];
  readonly format: 'text' | 'json';
}

/** `FLUE_LOG` and `FLUE_LOG_FORMAT` (LOGE-05). Throws for a value that they do not know. */
export function logSettings(
  env: Readonly<Record<string, string | undefined>>,
  mode: 'development' | 'production',
): LogSettings {
  const level = env.FLUE_LOG || (mode === 'development' ? 'info' : 'warn');
  const format = env.FLUE_LOG_FORMAT || 'text';
  requireOneOf('FLUE_LOG', level, ['off', ...LEVELS]);
  requireOneOf('FLUE_LOG_FORMAT', format, ['text', 'json']);
  return { level, format } as LogSettings;
}

/** Prints lines of `log` from the given level on, each as one line (LOGE-05). */
export function createLogLines(
  { level, format }: LogSettings,
  write: (text: string) => void,
): (line: LogLine) => void {
  const threshold = level === 'off' ? -1 : LEVELS.indexOf(level);
  return (line) => {
    if (LEVELS.indexOf(line.level) > threshold) return;
    write(format === 'json' ? `${escapeControls(JSON.stringify(line))}\n` : `${plain(line)}\n`);
  };
}

function requireOneOf(variable: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return;
  throw misuse(`start(): ${variable} must be one of ${known.join(', ')}, not ${JSON.stringify(value)}.`);
}

function plain({ level, message, attributes }: LogLine): string {
  const rest = Object.keys(attributes).length > 0 ? ` ${escapeControls(JSON.stringify(attributes))}` : '';
  return `[flue] ${level} ${escapeControls(JSON.stringify(message).slice(1, -1))}${rest}`;
}
