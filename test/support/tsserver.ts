import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

/** A real tsserver, spoken to as editors do: a request per line, framed answers and events on stdout. */
export interface TsServer {
  /** The body of the answer. Rejects when tsserver refuses or has ended. */
  request<T>(command: string, args?: object): Promise<T>;
  /** A command that tsserver does not answer, such as `open`; it is done before the next request is answered. */
  notify(command: string, args: object): void;
  /** Everything that tsserver finds in the files, in its own background order, as after a keystroke. */
  geterr(files: readonly string[]): Promise<readonly DiagnosticEvent[]>;
  /** Waits for its end. */
  close(): Promise<void>;
}

export interface DiagnosticEvent {
  readonly event: 'syntaxDiag' | 'semanticDiag' | 'suggestionDiag';
  readonly body: { readonly file: string; readonly diagnostics: readonly EventDiagnostic[] };
}

export interface EventDiagnostic {
  /** one-based */
  readonly start: { readonly line: number; readonly offset: number };
  readonly text: string;
  readonly code: number;
  readonly source?: string;
}

interface Message {
  readonly type: 'response' | 'event';
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: unknown;
}

export interface TsServerOptions {
  /** a folder whose `node_modules` tsserver takes plugins from */
  readonly plugins: string;
  /** a file that tsserver writes its log to */
  readonly logFile?: string;
}

export function startTsServer({ plugins, logFile }: TsServerOptions): TsServer {
  const program = createRequire(import.meta.url).resolve('typescript/lib/tsserver.js');
  const log = logFile === undefined ? [] : ['--logVerbosity', 'normal', '--logFile', logFile];
  const options = ['--disableAutomaticTypingAcquisition', '--pluginProbeLocations', plugins, ...log];
  const child = spawn(process.execPath, [program, ...options], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const waiting = new Map<number, (message: Message) => void>();
  let events: Message[] = [];
  let sequence = 0;

  child.stdout.on(
    'data',
    createFrameReader((message) => {
      const requested = message.event === 'requestCompleted' ? (message.body as Message) : message;
      if (message.type === 'event') events.push(message);
      if (requested.request_seq !== undefined) waiting.get(requested.request_seq)?.(message);
    }),
  );

  const send = (command: string, args: object): number => {
    sequence += 1;
    child.stdin.write(`${JSON.stringify({ seq: sequence, type: 'request', command, arguments: args })}\n`);
    return sequence;
  };
  const answered = async (command: string, args: object): Promise<Message> => {
    const gone = ended.then(([code, signal]) => {
      throw new Error(`tsserver ended (${code ?? signal}) before it answered ${command}.`);
    });
    const seq = send(command, args);
    const answer = new Promise<Message>((resolve) => waiting.set(seq, resolve));
    return Promise.race([answer, gone]).finally(() => waiting.delete(seq));
  };

  return {
    async request<T>(command: string, args = {}) {
      const { success, message, body } = await answered(command, args);
      if (success !== true) throw new Error(`tsserver refused ${command}: ${message}`);
      return body as T;
    },
    notify: send,
    async geterr(files) {
      events = [];
      await answered('geterr', { files, delay: 0 });
      return events.filter(({ event }) => event?.endsWith('Diag')) as unknown as DiagnosticEvent[];
    },
    async close() {
      if (child.exitCode === null && child.signalCode === null) child.stdin.end();
      await ended;
    },
  };
}

/** Cuts `Content-Length: n\r\n\r\n{...}` out of a stream; n counts bytes, which may arrive in any pieces. */
function createFrameReader(receive: (message: Message) => void): (chunk: Buffer) => void {
  let buffer = Buffer.alloc(0);
  return (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const headerEnd = buffer.indexOf('\r\n\r\n');
      if (headerEnd < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString('latin1', 0, headerEnd))?.[1]);
      const start = headerEnd + 4;
      if (buffer.length < start + length) return;
      const body = buffer.toString('utf8', start, start + length);
      buffer = buffer.subarray(start + length);
      receive(JSON.parse(body) as Message);
    }
  };
}
