import { afterEach, describe, expect, it } from 'vitest';
import { hear, silence, testEvents } from './events.test.support.ts';
import { configureRedaction } from './observe.ts';
import { IMAGE_DATA_OMITTED, scrub } from './scrub.ts';

afterEach(() => {
  silence();
  configureRedaction((text) => text);
});

const same = { text: (text: string) => text, name: (name: string) => name };

describe('an observation', () => {
  it('has no bytes of an image, and says that there was one (RED-03, SCRUB-01)', () => {
    const content = [
      { type: 'image', mimeType: 'image/png', data: 'aGVsbG8=' },
      { type: 'text', text: 'data' },
    ];
    expect(IMAGE_DATA_OMITTED).toBe('[image data omitted from event]');
    expect(scrub({ deep: [{ content }] }, same)).toEqual({
      deep: [{ content: [{ type: 'image', mimeType: 'image/png', data: IMAGE_DATA_OMITTED }, content[1]] }],
    });
    expect(content[0]).toMatchObject({ data: 'aGVsbG8=' });
  });

  it('holds what can be shown of any value, and is never the value itself (OBV-02)', () => {
    const cycle: Record<string, unknown> = { n: 1, big: 1n, run: () => 1, gone: undefined };
    cycle.self = cycle;
    const bad = '[unserializable]';
    expect(scrub(cycle, same)).toEqual({ n: 1, big: bad, run: bad, self: bad });
    const getter = {
      get x() {
        throw new Error('no');
      },
    };
    expect(scrub([getter, null], same)).toEqual([bad, null]);
    const named = JSON.parse('{"__proto__":{"polluted":true}}') as object;
    const copy = scrub(named, same) as { polluted?: boolean };
    expect([Object.keys(copy), copy.polluted]).toEqual([['__proto__'], undefined]);
  });

  it('has no known credential in any of its texts and names (SCRUB-04, AUTH-05)', () => {
    const { events } = testEvents(
      { instanceId: 'of key-123456' },
      { redact: () => (t) => t.replaceAll('key-123456', '***') },
    );
    const heard = hear();
    events.emit({
      type: 'tool_start',
      toolName: 'look',
      toolCallId: 'c1',
      args: { deep: ['a key-123456'] },
      description: 'key-123456',
    });
    events.log({
      level: 'warn',
      message: 'key-123456',
      attributes: { key: 'key-123456', by: { 'of key-123456': 1 } },
    });
    expect(JSON.stringify(heard)).not.toContain('key-123456');
    expect(heard).toMatchObject([
      { instanceId: 'of ***', args: { deep: ['a ***'] }, description: '***' },
      { message: '***', attributes: { key: '***', by: { 'of ***': 1 } } },
    ]);
  });

  it('has its texts masked by the application too, after the credentials, and not its names (SCRUB-04)', () => {
    configureRedaction((text) => text.replaceAll(/\*\*\*|\d+/g, '#'));
    const { events } = testEvents({ turnId: 't12' }, { redact: () => (t) => t.replaceAll('secret', '***') });
    const heard = hear();
    events.emit({
      type: 'tool_start',
      toolName: 'look2',
      toolCallId: 'c1',
      args: { card: '4111', by: 'secret', 'secret 12': 1 },
    });
    events.emit({
      type: 'message_end',
      message: { role: 'user', content: [{ type: 'text', text: 'card 4111' }] },
      recordId: 'rec_1_1',
    });
    expect(heard).toMatchObject([
      { turnId: 't12', toolName: 'look2', toolCallId: 'c1', args: { card: '#', by: '#', '*** 12': 1 } },
      { recordId: 'rec_1_1', message: { content: [{ text: 'card #' }] } },
    ]);
  });

  it('shows no text at all where that function throws (SCRUB-04)', () => {
    configureRedaction(() => {
      throw new Error('broken');
    });
    const { events } = testEvents();
    const heard = hear();
    events.emit({ type: 'text_delta', text: 'card 4111' });
    expect(heard).toMatchObject([{ text: '[redacted: the function of configureRedaction() threw]' }]);
    expect(() => configureRedaction('x' as never)).toThrow(
      '[flue] configureRedaction() takes a function, not string.',
    );
  });
});
