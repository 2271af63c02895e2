import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { anthropicMessages } from './wire/anthropic-messages.ts';
import { openaiCompletions } from './wire/openai-completions.ts';
import { openaiResponses } from './wire/openai-responses.ts';
import type { SseEvent, WireAnswer, WireAsked, WireFailure, WireProtocol } from './wire/protocol.ts';

export type { WireAnswer, WireAsked, WireFailure, WireProtocol } from './wire/protocol.ts';

/** The protocols that the server speaks, each on its own path. */
export const protocols = { anthropicMessages, openaiCompletions, openaiResponses };

/** One request that the server took. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
  /** the body read by the protocol of its path */
  readonly asked: WireAsked;
}

/** A model provider on the loopback interface that answers what a test told it to. */
export interface WireServer {
  /** address without a path */
  readonly url: string;
  /** every request so far, oldest first */
  readonly requests: readonly WireRequest[];
  /** resolves when a connection of a request was closed by the client before its answer ended */
  readonly hungUp: Promise<void>;
  /** queues answers, one per request; a request without one is answered 500 */
  answer(...answers: readonly (WireAnswer | WireFailure)[]): void;
  /** forgets what was queued and asked */
  reset(): void;
  close(): Promise<void>;
}

export async function startWireServer(): Promise<WireServer> {
  const queue: (WireAnswer | WireFailure)[] = [];
  const requests: WireRequest[] = [];
  let onHangUp = () => {};
  const hungUp = new Promise<void>((resolve) => {
    onHangUp = resolve;
  });

  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://wire').pathname;
    const protocol = Object.values(protocols).find((candidate) => candidate.path === path);
    if (!protocol) return void response.writeHead(404).end();
    const body = JSON.parse(await readAll(request)) as Record<string, unknown>;
    requests.push({ path, headers: request.headers, body, asked: protocol.read(body) });
    response.on('close', () => {
      if (!response.writableEnded) onHangUp();
    });
    const next = queue.shift();
    if (!next) return void response.writeHead(500).end('no answer is queued');
    if ('failure' in next) sendFailure(protocol, next, response);
    else await sendAnswer(protocol, next, String(body.model), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    hungUp,
    answer: (...answers) => void queue.push(...answers),
    reset() {
      queue.length = 0;
      requests.length = 0;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function sendFailure(
  protocol: WireProtocol,
  { failure, headers, text }: WireFailure,
  response: ServerResponse,
): void {
  const { status, body } = protocol.fail(failure, text ?? '');
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function sendAnswer(
  protocol: WireProtocol,
  answer: WireAnswer,
  model: string,
  response: ServerResponse,
) {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const event of protocol.stream(answer, model)) {
    await new Promise((resolve) => response.write(frame(event), resolve));
  }
  if (answer.end === 'silent') return;
  if (answer.end === 'cut') response.destroy();
  else response.end();
}

function frame({ event, data }: SseEvent): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${text}\n\n`;
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
