import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { RESERVED_SIGNAL_TYPES } from '../../contract/names.ts';
import { InvalidRequestError } from '../../errors/invalid-request-error.ts';
import { validateMessage } from './validate-message.ts';

const PIXEL = Buffer.from('pixel').toString('base64');
const image = (more: object = {}) => ({ type: 'image', data: PIXEL, mimeType: 'image/png', ...more });
const withImages = (...attachments: unknown[]) => ({ kind: 'user', body: 'look', attachments });

/** The details of the refusal, which name field and rule. */
function refusal(message: unknown): string {
  try {
    validateMessage(message);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ type: 'invalid_request', status: 400 });
    return (error as InvalidRequestError).details;
  }
  throw new Error(`accepted: ${JSON.stringify(message)}`);
}

describe('a delivered message', () => {
  it('may be a bare string, which is a user message (MSG-01, MSG-02)', () => {
    expect(validateMessage('hi')).toEqual({ kind: 'user', body: 'hi' });
    expect(validateMessage('')).toEqual({ kind: 'user', body: '' });
  });

  it('is refused with the field and its rule (MSG-03)', () => {
    const cases: [unknown, string][] = [
      [undefined, 'message must be an object'],
      [null, 'message must be an object'],
      [['x'], 'message must be an object'],
      [{ body: 'x' }, 'message.kind must be'],
      [{ kind: 'system', body: 'x' }, 'message.kind must be "user" or "signal"'],
      [{ kind: 'user' }, 'message.body must be a string'],
      [{ kind: 'user', body: 1 }, 'message.body must be a string'],
      [{ kind: 'user', body: 'x', attachments: {} }, 'message.attachments must be an array'],
      [withImages(image(), 'x'), 'message.attachments[1] must be an object'],
    ];
    for (const [message, details] of cases) expect(refusal(message)).toContain(details);
  });

  it('takes images only, up to the limit of one attachment (MSG-04)', () => {
    expect(validateMessage(withImages(image({ filename: 'a.png' })))).toEqual(
      withImages(image({ filename: 'a.png' })),
    );
    expect(refusal(withImages(image({ type: 'file' })))).toContain('attachments[0].type must be "image"');
    expect(refusal(withImages(image({ filename: 1 })))).toContain('attachments[0].filename');
    const data = 'A'.repeat(LIMITS.attachmentBase64Chars);
    expect(LIMITS.attachmentBase64Chars).toBe(14 * 1024 * 1024);
    expect(validateMessage(withImages(image({ data })))).toEqual(withImages(image({ data })));
    expect(refusal(withImages(image({ data: `${data}AAAA` })))).toContain('at most 14680064');
  });

  it('checks every attachment for plain base64 and an image type (MSG-05)', () => {
    const bad: [object, RegExp][] = [
      [{ data: `data:image/png;base64,${PIXEL}` }, /without a data: prefix/],
      [{ data: '' }, /at least one byte/],
      [{ data: 'AAA' }, /correct padding/],
      [{ data: 'A===' }, /correct padding/],
      [{ data: 'AA=A' }, /correct padding/],
      [{ data: 'AA A' }, /plain base64/],
      [{ data: 'AA-_' }, /plain base64/],
      [{ data: 7 }, /a string of base64/],
      [{ mimeType: 'text/html' }, /image type/],
      [{ mimeType: 'image/' }, /image type/],
      [{ mimeType: undefined }, /image type/],
    ];
    for (const [more, rule] of bad) {
      const details = refusal(withImages(image(), image(more)));
      expect(details).toMatch(rule);
      expect(details).toContain('attachments[1]');
    }
  });

  it('is a signal with a type, a body and string attributes (MSG-06)', () => {
    const signal = {
      kind: 'signal',
      type: 'order.late',
      body: 'Late.',
      attributes: { order: '7' },
      tagName: 'event',
    };
    expect(validateMessage(signal)).toEqual(signal);
    expect(refusal({ kind: 'signal', type: ' ', body: 'x' })).toContain('message.type must be a non-empty');
    expect(refusal({ kind: 'signal', body: 'x' })).toContain('message.type');
    expect(refusal({ kind: 'signal', type: 'a' })).toContain('message.body must be a string');
    expect(refusal({ ...signal, attributes: [] })).toContain('message.attributes must be an object');
    expect(refusal({ ...signal, attributes: { n: 1 } })).toContain('message.attributes.n must be a string');
  });

  it('takes an XML name as tag and has none of its own without one (MSG-07)', () => {
    const signal = { kind: 'signal', type: 'a', body: 'x' };
    for (const tagName of ['signal', '_x', 'a-b.c_1']) {
      expect(validateMessage({ ...signal, tagName })).toEqual({ ...signal, tagName });
    }
    for (const tagName of ['1a', '-a', 'a b', 'a>', 'a\n', '', 'é', 5]) {
      expect(refusal({ ...signal, tagName })).toContain('message.tagName');
    }
    expect(validateMessage(signal)).toEqual(signal);
  });

  it('may not speak with the words of the framework (MSG-08)', () => {
    for (const type of RESERVED_SIGNAL_TYPES) {
      expect(refusal({ kind: 'signal', type, body: 'x' })).toContain(`must not be "${type}"`);
    }
    expect(RESERVED_SIGNAL_TYPES.length).toBeGreaterThan(5);
  });

  it('keeps the known properties only, detached from the object given (MSG-10, MSG-12)', () => {
    const attributes = { order: '7' };
    const signal = { kind: 'signal', type: 'a', body: 'x', attributes, priority: 'high' };
    const kept = validateMessage(signal);
    attributes.order = 'changed';
    expect(kept).toEqual({ kind: 'signal', type: 'a', body: 'x', attributes: { order: '7' } });
    const message = withImages(image({ width: 3 }));
    const user = validateMessage({ ...message, role: 'system' });
    message.attachments.length = 0;
    expect(user).toEqual(withImages(image()));
  });

  it('keeps attribute names that JavaScript treats as its own (MSG-06, MSG-09)', () => {
    const attributes = JSON.parse('{"__proto__":"a","constructor":"b"}') as Record<string, string>;
    const kept = validateMessage({ kind: 'signal', type: 'a', body: 'x', attributes });
    expect(JSON.stringify(kept)).toContain('"attributes":{"__proto__":"a","constructor":"b"}');
  });
});
