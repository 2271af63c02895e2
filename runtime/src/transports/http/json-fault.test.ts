import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeJsonFault } from './json-fault.ts';

describe('the report on a body that is no JSON', () => {
  it.each([
    ['', 'The JSON text ends too early, at position 0.'],
    ['{"a":1', 'The JSON text ends too early, at position 6.'],
    ['"abc', 'The JSON text ends too early, at position 4.'],
    ['hello there', 'Unexpected "hello th" at position 0.'],
    ['{"a": x}', 'Unexpected "x}" at position 6.'],
    ['{"a" 1}', 'Unexpected "1}" at position 5.'],
    ['{a: 1}', 'Unexpected "a: 1}" at position 1.'],
    ['[1,]', 'Unexpected "]" at position 3.'],
    ['{"a":1,}', 'Unexpected "}" at position 7.'],
    ['[1}', 'Unexpected "}" at position 2.'],
    ['{"a":1} x', 'Unexpected "x" at position 8.'],
    ['"a\nb"', 'Unexpected "\\nb\\"" at position 2.'],
    ['"\\q"', 'Unexpected "\\\\q\\"" at position 1.'],
    ['01', 'Unexpected "1" at position 1.'],
    ['nul', 'Unexpected "nul" at position 0.'],
  ])('%j: %s (HTTP-13)', (text, report) => {
    expect(describeJsonFault(text)).toBe(report);
  });

  it('finds the place at which a cut or overwritten text breaks (HTTP-13)', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), (json, seed) => {
        const at = seed % json.length;
        const cut = json.slice(0, at);
        if (!isJson(cut)) expect(placeOf(describeJsonFault(cut))).toBeGreaterThan(at - LONGEST_TOKEN);
        const broken = `${json}]`;
        expect(describeJsonFault(broken)).toBe(`Unexpected "]" at position ${json.length}.`);
      }),
    );
  });

  it('survives a fault behind megabytes of one value (HTTP-14)', () => {
    const long = `["${'x'.repeat(30_000_000)}",1${'2'.repeat(1_000_000)}`;
    expect(describeJsonFault(`${long}}`)).toBe(`Unexpected "}" at position ${long.length}.`);
  });
});

/** A word or an escape that is cut is reported where it begins. */
const LONGEST_TOKEN = 6;

function placeOf(report: string): number {
  return Number(/position (\d+)/.exec(report)?.[1]);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
