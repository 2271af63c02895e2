import { describe, expect, it } from 'vitest';
import { FlueError, FlueHttpError } from '../errors/flue-error.ts';
import { InvalidRequestError } from '../errors/invalid-request-error.ts';
import * as errors from './errors.ts';

/** One row per class: how to build it and what is stable about it (STB-01). */
const rows = [
  {
    error: new InvalidRequestError({ field: 'uid', rule: 'must be a string or null' }),
    name: 'InvalidRequestError',
    type: 'invalid_request',
    status: 400,
    meta: undefined,
  },
  {
    error: new errors.InvalidJsonError({ report: 'Unexpected end at position 3.' }),
    name: 'InvalidJsonError',
    type: 'invalid_json',
    status: 400,
    meta: undefined,
  },
  {
    error: new errors.UnsupportedMediaTypeError({ header: 'Content-Type', received: 'text/plain' }),
    name: 'UnsupportedMediaTypeError',
    type: 'unsupported_media_type',
    status: 415,
    meta: undefined,
  },
  {
    error: new errors.PayloadTooLargeError({ limitBytes: 10 }),
    name: 'PayloadTooLargeError',
    type: 'payload_too_large',
    status: 413,
    meta: ['limitBytes'],
  },
  {
    error: new errors.ForbiddenError(),
    name: 'ForbiddenError',
    type: 'forbidden',
    status: 403,
    meta: undefined,
  },
  {
    error: new errors.LiveReaderLimitError({ setting: 'maxLiveReaders', limit: 2 }),
    name: 'LiveReaderLimitError',
    type: 'live_reader_limit',
    status: 503,
    meta: undefined,
    headers: { 'Retry-After': '5' },
    dev: true,
  },
  {
    error: new errors.MethodNotAllowedError({ method: 'PUT', allowed: ['GET', 'HEAD'] }),
    name: 'MethodNotAllowedError',
    type: 'method_not_allowed',
    status: 405,
    meta: undefined,
    headers: { Allow: 'GET, HEAD' },
  },
  {
    error: new errors.RouteNotFoundError({ method: 'GET', path: '/x' }),
    name: 'RouteNotFoundError',
    type: 'route_not_found',
    status: 404,
    meta: undefined,
  },
  {
    error: new errors.StreamNotFoundError(),
    name: 'StreamNotFoundError',
    type: 'stream_not_found',
    status: 404,
    meta: undefined,
  },
  {
    error: new errors.StreamOffsetGoneError({ offset: '9', nextOffset: '1' }),
    name: 'StreamOffsetGoneError',
    type: 'stream_offset_gone',
    status: 416,
    meta: ['offset', 'nextOffset'],
  },
  {
    error: new errors.AttachmentNotFoundError(),
    name: 'AttachmentNotFoundError',
    type: 'attachment_not_found',
    status: 404,
    meta: undefined,
  },
  {
    error: new errors.AgentInstanceNotFoundError({ id: '42' }),
    name: 'AgentInstanceNotFoundError',
    type: 'agent_instance_not_found',
    status: 404,
    meta: undefined,
  },
  {
    error: new errors.AgentInstanceExistsError({ uid: 'inst_1' }),
    name: 'AgentInstanceExistsError',
    type: 'agent_instance_exists',
    status: 409,
    meta: ['uid'],
  },
  {
    error: new errors.SubmissionConflictError({ submissionId: 'sub_1' }),
    name: 'SubmissionConflictError',
    type: 'submission_conflict',
    status: 409,
    meta: ['submissionId'],
  },
  {
    error: new errors.SubmissionNotFoundError({ submissionId: 'sub_1' }),
    name: 'SubmissionNotFoundError',
    type: 'submission_not_found',
    status: 404,
    meta: ['submissionId'],
  },
  {
    error: new errors.RuntimeUnavailableError({ state: 'failed', failure: new Error('no table') }),
    name: 'RuntimeUnavailableError',
    type: 'runtime_unavailable',
    status: 503,
    meta: ['state'],
    headers: { 'Retry-After': '1' },
    dev: true,
  },
];

describe('errors of requests and instances', () => {
  it.each(rows)('$name keeps its type, status, headers and meta keys (STB-02)', (row) => {
    const { error } = row;
    expect(error).toBeInstanceOf(FlueHttpError);
    expect(FlueError.is(error, error.type)).toBe(true);
    expect({ name: error.name, type: error.type, status: error.status }).toEqual({
      name: row.name,
      type: row.type,
      status: row.status,
    });
    expect(error.headers).toEqual(row.headers);
    expect(error.meta && Object.keys(error.meta)).toEqual(row.meta);
    expect(error.message).toMatch(/^[A-Z][^\n]*\.$/);
    expect(error.details).not.toBe('');
    expect(error.dev !== '').toBe(row.dev === true);
    expect(`${error.message}${error.details}`).not.toMatch(/\.ts\b|node_modules| at .*:\d+/);
  });

  it('creation data names each issue by its path and its rule (CLS-01, ERR-12)', () => {
    const error = new InvalidRequestError({
      field: 'initialData',
      rule: 'does not match the schema of the agent',
      issues: [{ message: 'Expected string', path: ['items', 0, Symbol('sku')] }, { message: 'Required' }],
      code: 'FLUE4004',
    });
    expect(error.meta).toEqual({
      issues: [{ message: 'Expected string', path: ['items', 0, 'Symbol(sku)'] }, { message: 'Required' }],
      rule: 'FLUE4004',
    });
    expect(error.details).toBe(
      'initialData does not match the schema of the agent.\n- items.0.Symbol(sku): Expected string\n- value: Required',
    );
  });

  it('hands back what the caller needs to go on as properties (CND-03, DSP-12)', () => {
    expect(new errors.AgentInstanceExistsError({ uid: 'inst_7' }).uid).toBe('inst_7');
    expect(new errors.AgentInstanceExistsError({ uid: 'inst_7' }).details).toContain('inst_7');
    expect(new errors.SubmissionConflictError({ submissionId: 'sub_7' }).submissionId).toBe('sub_7');
  });

  it('a failed start keeps its failure for the developer only (ERR-03, ERR-08)', () => {
    const failure = new Error('cannot read /srv/app/db.sqlite');
    const error = new errors.RuntimeUnavailableError({ state: 'failed', failure });
    expect(error.cause).toBe(failure);
    expect(error.dev).toContain('/srv/app/db.sqlite');
    expect(error.message + error.details).not.toContain('/srv');
  });
});
