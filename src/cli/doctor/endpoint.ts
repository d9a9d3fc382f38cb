/** An MCP endpoint over HTTP, asked by hand. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { mediaType } from '../../model/media-type.ts';
import { VERSION } from '../../model/names.ts';
import { revisions } from '../../revisions/index.ts';
import { eventIn, type RawAnswer, type ReadBounds, rawHttp } from './raw-http.ts';

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

  /** Whether credentials are sent along. */
  get shows(): boolean {
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

  async leave(session: Readonly<Record<string, string>>): Promise<void> {
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
