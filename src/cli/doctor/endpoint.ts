/** An MCP endpoint over HTTP, asked by hand. */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { mediaType } from '../../model/media-type.ts';
import { VERSION } from '../../model/names.ts';
import { revisions } from '../../revisions/index.ts';
import type { Shell } from '../shell.ts';

/** The newest revision that opens with a handshake: the one that most servers know. */
const handshake: string = revisions.find(({ hasSessions }) => hasSessions)?.id ?? '';

export interface EndpointOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly bounds: ReadBounds;
  /** How long an answer may take. */
  readonly ms: number;
}

export class CheckedEndpoint {
  readonly url: URL;
  readonly #options: EndpointOptions;

  constructor(options: EndpointOptions) {
    this.url = options.url;
    this.#options = options;
  }

  get hasCredentials(): boolean {
    return Object.keys(this.#options.headers).some((name) => name.toLowerCase() === 'authorization');
  }

  at(path: string): CheckedEndpoint {
    return new CheckedEndpoint({ ...this.#options, url: new URL(path, this.url) });
  }

  initialize(): Promise<RawAnswer> {
    const clientInfo = { name: 'mooring doctor', version: VERSION };
    const params = { protocolVersion: handshake, capabilities: {}, clientInfo };
    return this.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  }

  post(message: JsonObject, more: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    const { url, bounds, ms } = this.#options;
    const body = JSON.stringify(message);
    const headers = {
      ...this.#options.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(Buffer.byteLength(body)),
      ...more,
    };
    return rawHttp({ url, method: 'POST', headers, body, until: 'answer', ms }, bounds);
  }

  /** A stream of events, for as long as it takes to see that it is one. */
  stream(until: 'head' | 'answer', more: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    const { url, bounds, ms } = this.#options;
    const headers = { ...this.#options.headers, accept: 'text/event-stream', ...more };
    return rawHttp({ url, method: 'GET', headers, until, ms }, bounds);
  }

  /** A document of the same server. */
  document(url: URL): Promise<RawAnswer> {
    const { bounds, ms } = this.#options;
    return rawHttp({ url, method: 'GET', headers: { accept: 'application/json' }, until: 'answer', ms }, bounds);
  }

  async endSession(session: Readonly<Record<string, string>>): Promise<void> {
    const { url, bounds, ms, headers } = this.#options;
    const request = { url, method: 'DELETE', headers: { ...headers, ...session }, until: 'head', ms } as const;
    // Not every server lets sessions be ended.
    await rawHttp(request, bounds).catch(() => undefined);
  }
}

export const typeOf = ({ header }: RawAnswer): string => mediaType(header('content-type'));

/** The JSON-RPC message in an answer, in either form. */
export function messageIn(answer: RawAnswer): JsonObject | undefined {
  const text = typeOf(answer) === 'text/event-stream' ? eventIn(answer.text) : answer.text;
  const message = parseObject(text ?? '');
  return message?.['jsonrpc'] === '2.0' ? message : undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

export interface RawRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How much of the answer is waited for: its head, or its text; of a stream, which need not end, the first event that says something. */
  readonly until: 'head' | 'answer';
  readonly ms: number;
}

/** Time, and Ctrl-C. */
export type ReadBounds = Pick<Shell, 'clock' | 'signal'>;

/** More is not looked at. */
const MAX_BYTES = 1024 * 1024;

/** One HTTP request as it is, without anything that a client would do about its answer. Rejects when there is no answer in time: with the code `ETIMEDOUT`, or what the socket says. */
function rawHttp({ url, method, headers, body, until, ms }: RawRequest, bounds: ReadBounds): Promise<RawAnswer> {
  const { clock, signal } = bounds;
  const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, signal }, (response) => {
      const header = (name: string): string | undefined => headerOf(response, name);
      const status = response.statusCode ?? 0;
      const finish = (text: string): void => {
        late();
        sent.destroy();
        resolve({ status, header, text });
      };
      if (until === 'head') finish('');
      else read(response, finish, header('content-type')?.startsWith('text/event-stream') === true);
    });
    const late = clock.after(ms, () => {
      sent.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }));
    });
    sent.once('error', (thrown) => {
      late();
      reject(thrown);
    });
    sent.end(body);
  });
}

function read(response: IncomingMessage, finish: (text: string) => void, events: boolean): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    if ((events && eventIn(text) !== undefined) || text.length > MAX_BYTES) finish(text);
  });
  response.once('end', () => finish(text));
  response.once('error', () => finish(text));
}

/** The data of the first event that has any. Some open a stream with an event that only has an id. */
function eventIn(text: string): string | undefined {
  return /^data: ?(\S[^\r\n]*)\r?\n/m.exec(text)?.[1];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
