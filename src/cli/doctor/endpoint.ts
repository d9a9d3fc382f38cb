/** Raw HTTP requests to an MCP endpoint, without the behavior of a client (redirects, sign-in, retries). */
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { mediaType } from '../../model/media-type.ts';
import { VERSION } from '../../model/names.ts';
import { revisions } from '../../revisions/index.ts';
import type { Shell } from '../shell.ts';

/** The newest revision with a handshake, which most servers support. */
const handshakeRevision: string = revisions.find(({ hasSessions }) => hasSessions)?.id ?? '';

export interface EndpointOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly bounds: ReadBounds;
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
    const params = { protocolVersion: handshakeRevision, capabilities: {}, clientInfo };
    return this.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  }

  post(message: JsonObject, more: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    const body = JSON.stringify(message);
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': String(Buffer.byteLength(body)),
      ...more,
    };
    return this.#send({ method: 'POST', headers, body, until: 'answer' });
  }

  /** Opens an event stream, and closes it after the headers or the first event. */
  stream(until: 'head' | 'answer', more: Readonly<Record<string, string>> = {}): Promise<RawAnswer> {
    return this.#send({ method: 'GET', headers: { accept: 'text/event-stream', ...more }, until });
  }

  /** Gets a JSON document, without the endpoint's headers (credentials). */
  document(url: URL): Promise<RawAnswer> {
    const headers = { accept: 'application/json' };
    return rawHttp({ url, method: 'GET', headers, until: 'answer' }, this.#options.bounds);
  }

  async endSession(session: Readonly<Record<string, string>>): Promise<void> {
    // DELETE is optional for servers.
    await this.#send({ method: 'DELETE', headers: session, until: 'head' }).catch(() => undefined);
  }

  /** With the headers of the endpoint. */
  #send(request: Omit<RawRequest, 'url'>): Promise<RawAnswer> {
    const { url, bounds, headers } = this.#options;
    return rawHttp({ ...request, url, headers: { ...headers, ...request.headers } }, bounds);
  }
}

export const typeOf = ({ header }: RawAnswer): string => mediaType(header('content-type'));

/** The JSON-RPC message of a JSON or event-stream response. */
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

interface RawRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Resolve after the headers, or after the body. An event stream counts as complete after its first event with data. */
  readonly until: 'head' | 'answer';
}

/** The clock for timeouts, and the signal of Ctrl-C. */
export type ReadBounds = Pick<Shell, 'clock' | 'signal'>;

const RESPONSE_MS = 10_000;
/** The rest of a longer body is not read. */
const MAX_BYTES = 1024 * 1024;

/** Sends one HTTP request. Rejects with code `ETIMEDOUT`, or with the socket's error. */
function rawHttp({ url, method, headers, body, until }: RawRequest, bounds: ReadBounds): Promise<RawAnswer> {
  const { clock, signal } = bounds;
  const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false, signal }, (response) => {
      const header = (name: string): string | undefined => headerOf(response, name);
      const status = response.statusCode ?? 0;
      const finish = (text: string): void => {
        stopTimer();
        sent.destroy();
        resolve({ status, header, text });
      };
      if (until === 'head') finish('');
      else readBody(response, finish, header('content-type')?.startsWith('text/event-stream') === true);
    });
    const stopTimer = clock.after(RESPONSE_MS, () => {
      sent.destroy(Object.assign(new Error('too late'), { code: 'ETIMEDOUT' }));
    });
    sent.once('error', (thrown) => {
      stopTimer();
      reject(thrown);
    });
    sent.end(body);
  });
}

function readBody(response: IncomingMessage, finish: (text: string) => void, events: boolean): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    if ((events && eventIn(text) !== undefined) || text.length > MAX_BYTES) finish(text);
  });
  response.once('end', () => finish(text));
  response.once('error', () => finish(text));
}

/** The data of the first event with data. Some servers send an event with only an id first. */
function eventIn(text: string): string | undefined {
  return /^data: ?(\S[^\r\n]*)\r?\n/m.exec(text)?.[1];
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}
