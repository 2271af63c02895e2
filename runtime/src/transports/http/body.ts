import { InvalidJsonError, PayloadTooLargeError, UnsupportedMediaTypeError } from '../../app/errors.ts';
import { describeJsonFault } from './json-fault.ts';
import { ClientGoneError } from './request.ts';

/**
 * Reads a JSON body, `undefined` for an empty one. Its size is enforced while it streams, so no more than the limit and
 * one chunk is ever held (HTTP-14); its type and encoding are those of HTTP-12 and HTTP-13.
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<unknown> {
  refuseEncoding(request.headers.get('content-encoding'));
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) {
    throw new PayloadTooLargeError({ limitBytes });
  }
  const text = await readText(request, limitBytes);
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidJsonError({ report: describeJsonFault(text) });
  }
}

/** No body is ever decoded, so one that claims an encoding cannot be judged by its size. */
function refuseEncoding(encoding: string | null): void {
  if (encoding === null) return;
  throw new UnsupportedMediaTypeError({ header: 'Content-Encoding', received: encoding });
}

async function readText(request: Request, limitBytes: number): Promise<string> {
  if (!request.body) return '';
  const reader = request.body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let text = '';
  try {
    for (;;) {
      const chunk = await nextChunk(reader);
      if (!chunk) return text + decode(() => decoder.decode());
      if (bytes === 0 && chunk.byteLength > 0) requireJson(request.headers.get('content-type'));
      bytes += chunk.byteLength;
      if (bytes > limitBytes) throw new PayloadTooLargeError({ limitBytes });
      text += decode(() => decoder.decode(chunk, { stream: true }));
    }
  } catch (error) {
    // The answer must not wait for an upload that nobody reads.
    void reader.cancel().catch(() => {});
    throw error;
  }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const { done, value } = await reader.read();
    return done ? undefined : value;
  } catch (cause) {
    throw new ClientGoneError('the upload broke off', { cause });
  }
}

function decode(step: () => string): string {
  try {
    return step();
  } catch {
    throw new InvalidJsonError({ report: 'The body is not UTF-8.' });
  }
}

/**
 * The essence must equal `application/json`: by substring, `text/plain;a=application/json` would pass, which a page of
 * another origin may post without a preflight (HTTP-12).
 */
function requireJson(header: string | null): void {
  const [essence = '', ...parameters] = (header ?? '').split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters
    .map((parameter) => /^charset="?([^"]*)"?$/.exec(parameter)?.[1])
    .find((value) => value !== undefined);
  if (essence === 'application/json' && (charset ?? 'utf-8') === 'utf-8') return;
  throw new UnsupportedMediaTypeError({ header: 'Content-Type', received: header ?? undefined });
}
