import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import * as adapter from './adapter.ts';
import { ERROR_TYPES } from './contract/codes.ts';
import * as front from './index.ts';
import { createAgentRouter } from './routing.ts';
import * as testing from './testing.ts';

const { FlueError, FlueHttpError } = front;
const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\./.test(file) && !file.startsWith('testing'))
  .map((file) => ({ file, text: readFileSync(join(import.meta.dirname, file), 'utf8') }));

/** Where users look for a class: that of tests stands with what throws it. */
const entryOf = (name: string) =>
  (name === 'CassetteMissError' ? testing : front) as unknown as Record<string, { prototype: unknown }>;

/** Every class of this package that is a `FlueError`, with the file that defines it. */
const classes = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^export class (\w+) extends Flue(?:Http)?Error\b/gm)].map((match) => ({
    name: match[1] as string,
    file,
  })),
);

describe('every error class', () => {
  it.each(classes)('$name is exported where users look for it (ERR-06)', ({ name, file }) => {
    expect(entryOf(name)).toHaveProperty(name);
    expect(name in adapter).toBe(
      file.startsWith('ports/store-errors') || name === 'ConversationRecordInvariantError',
    );
  });

  it('has one type of its own in the table of codes (ERR-01, STB-01)', () => {
    const own = classes.map(({ name }) => name).filter((name) => name !== 'FlueHttpError');
    expect(own.filter((name) => !Object.hasOwn(ERROR_TYPES, name))).toEqual([]);
    const types = Object.values(ERROR_TYPES);
    expect(types).toEqual([...new Set(types)]);
    expect(types.filter((type) => !/^[a-z]+(_[a-z]+)*$/.test(type))).toEqual([]);
  });

  it('makes its own prose: no call site passes text to the base class (ERR-04)', () => {
    // The reader of a settlement gives back what the class once wrote.
    const callers = sources.filter(
      ({ file, text }) => /new Flue(Http)?Error\(/.test(text) && file !== 'app/rebuild-error.ts',
    );
    expect(callers.map(({ file }) => file)).toEqual([]);
    // Status and headers stand in the classes alone.
    const statuses = sources.filter(
      ({ text }) => /^\s+status: /m.test(text) && /extends FlueHttpError/.test(text),
    );
    expect(statuses.map(({ file }) => file).sort()).toEqual([
      'app/errors.ts',
      'errors/invalid-request-error.ts',
      'ports/store-errors.ts',
    ]);
  });

  it('leaves those of tests and of the client to their own entries (ERR-06)', () => {
    for (const name of ['CassetteMissError', 'FlueApiError', 'FlueStreamError'])
      expect(name in front).toBe(false);
    expect(Object.keys(testing).filter((name) => name in front && name.endsWith('Error'))).toEqual([]);
  });
});

describe('FlueError.is()', () => {
  it('knows instances of another copy of the package and of another realm (ERR-07)', async () => {
    const copy = (await import('./errors/flue-error.ts?copy' as string)) as typeof front;
    const foreign = new copy.FlueError({ type: 'forbidden', message: 'No.' });
    expect(foreign instanceof FlueError).toBe(false);
    expect(FlueError.is(foreign)).toBe(true);
    expect(FlueError.is(foreign, 'forbidden')).toBe(true);
    expect(FlueError.is(foreign, 'invalid_json')).toBe(false);

    const realm = runInNewContext(
      `const error = new Error('No.'); error.type = 'forbidden';
       Object.defineProperty(error, Symbol.for('@flue/runtime.FlueError'), { value: true }); error`,
    );
    expect(realm instanceof Error).toBe(false);
    expect(FlueError.is(realm, 'forbidden')).toBe(true);
  });

  it('takes nothing else for one, and never throws (ERR-07)', () => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    for (const other of [
      undefined,
      null,
      'forbidden',
      7,
      new Error('x'),
      { type: 'forbidden' },
      revoked.proxy,
    ])
      expect(FlueError.is(other)).toBe(false);
  });
});

/** The table of transport categories; nothing else has a status (CAT-01). */
const CATEGORIES: Record<string, number> = {
  invalid_request: 400,
  invalid_json: 400,
  payload_too_large: 413,
  forbidden: 403,
  unsupported_media_type: 415,
  method_not_allowed: 405,
  route_not_found: 404,
  stream_not_found: 404,
  attachment_not_found: 404,
  agent_instance_not_found: 404,
  submission_not_found: 404,
  agent_instance_exists: 409,
  submission_conflict: 409,
  stream_offset_gone: 416,
  runtime_unavailable: 503,
  persistence_failure: 503,
  live_reader_limit: 503,
};

describe('the transport categories', () => {
  const made = [
    new front.InvalidRequestError({ field: 'uid', rule: 'must be a string' }),
    new front.InvalidJsonError({ report: 'Unexpected end.' }),
    new front.PayloadTooLargeError({ limitBytes: 1 }),
    new front.ForbiddenError(),
    new front.UnsupportedMediaTypeError({ header: 'Content-Type', received: undefined }),
    new front.MethodNotAllowedError({ method: 'PUT', allowed: ['GET'] }),
    new front.RouteNotFoundError({ method: 'GET', path: '/x' }),
    new front.StreamNotFoundError(),
    new front.AttachmentNotFoundError(),
    new front.AgentInstanceNotFoundError({ id: '1' }),
    new front.SubmissionNotFoundError({ submissionId: 's' }),
    new front.AgentInstanceExistsError({ uid: 'u' }),
    new front.SubmissionConflictError({ submissionId: 's' }),
    new front.StreamOffsetGoneError({ offset: '9', nextOffset: '1' }),
    new front.RuntimeUnavailableError({ state: 'draining' }),
    new front.PersistenceError({ reason: 'full' }),
    new front.LiveReaderLimitError({ setting: 'maxLiveReaders', limit: 1 }),
  ];

  it('are these, with these statuses (CAT-01)', () => {
    expect(Object.fromEntries(made.map((error) => [error.type, error.status]))).toEqual(CATEGORIES);
    expect(new front.PersistenceError({ reason: 'corrupt' }).status).toBe(500);
    const http = sources.flatMap(({ text }) => [
      ...text.matchAll(/^export class (\w+) extends FlueHttpError\b/gm),
    ]);
    expect(http.map((match) => ERROR_TYPES[match[1] as keyof typeof ERROR_TYPES]).sort()).toEqual(
      Object.keys(CATEGORIES).sort(),
    );
  });

  it('tell a client when to come back exactly where a repeat may help (CAT-01)', () => {
    for (const error of made)
      expect([error.type, error.headers?.['Retry-After'] !== undefined]).toEqual([
        error.type,
        error.status === 503,
      ]);
  });

  it('say in one sentence what happened, and more in details (ERR-02)', () => {
    for (const error of made) {
      expect(error.message).toMatch(/^[A-Z][^\n]*[^.]\.$/);
      expect(error.message.split('. ')).toHaveLength(1);
      expect(error.details).toMatch(/\.$/);
      expect(error.details).not.toBe(error.message);
    }
  });

  it('are none of the errors that configuration and agents throw (CLS-06, ERR-10)', () => {
    expect(() => createAgentRouter('x' as never)).toThrow(/^\[flue\] /);
    for (const { name } of classes) {
      const type = ERROR_TYPES[name as keyof typeof ERROR_TYPES];
      if (type === undefined || type in CATEGORIES) continue;
      const thrown = entryOf(name)[name] as { prototype: unknown };
      expect(Object.hasOwn(thrown, 'status'), name).toBe(false);
      expect(thrown.prototype instanceof FlueHttpError, name).toBe(false);
    }
  });
});
