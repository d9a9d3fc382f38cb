/** HTTP without a socket: a fake request, and a reply that records what is written. */

import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { MessageBody } from '../../src/jsonrpc/write.ts';
import { HttpRejection } from '../../src/transport/http/rejections.ts';
import type { HttpService } from '../../src/transport/http/service.ts';
import {
  type EventSink,
  type HeaderList,
  type HttpReply,
  type HttpView,
  STREAM_HEADERS,
} from '../../src/transport/http/view.ts';

export interface FakeRequest {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  /** Added to the default headers; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly address?: string;
}

const usual = {
  host: 'localhost:3000',
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
} as const;

export class FakeView implements HttpView {
  readonly path: string;
  readonly query: string;
  readonly method: string;
  readonly address: string | undefined;
  /** Whether the body was read. */
  read = false;
  readonly #headers: Map<string, string | undefined>;
  readonly #body: string;

  constructor({ method = 'POST', path = '/mcp', query = '', headers = {}, body = '', address }: FakeRequest) {
    this.path = path;
    this.query = query;
    this.method = method;
    this.address = address;
    this.#headers = new Map(Object.entries({ ...usual, ...headers }));
    this.#body = typeof body === 'string' ? body : JSON.stringify(body);
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  async text(limit: number): Promise<string> {
    this.read = true;
    if (this.#body.length > limit) throw new HttpRejection('bodySize', { limit });
    if (this.#body.includes('\ufffd')) throw new HttpRejection('bodyText', { fault: 'not UTF-8' });
    return this.#body;
  }
}

export class FakeSink implements EventSink {
  text = '';
  ended = false;
  wasCut = false;
  queued = 0;

  write(text: string): void {
    if (!this.ended) this.text += text;
  }

  end(): void {
    this.ended = true;
  }

  abort(): void {
    this.wasCut = true;
    this.ended = true;
  }

  /** All messages so far, without keep-alive comments. */
  get messages(): JsonObject[] {
    return this.events
      .filter(({ data }) => data !== undefined && data !== '')
      .map(({ data }) => JSON.parse(data ?? ''));
  }

  get events(): { id?: string; data?: string; retry?: string; event?: string }[] {
    const blocks = this.text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
    return blocks.map((block) =>
      Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.replace(/^\w+: ?/, '')]),
      ),
    );
  }

  get lastId(): string {
    return this.events.findLast(({ id }) => id !== undefined)?.id ?? '';
  }
}

export class FakeReply implements HttpReply {
  commonHeaders: HeaderList | undefined;
  status = 0;
  headers: HeaderList = {};
  body: string | undefined;
  sink: FakeSink | undefined;
  #gone: (() => void)[] = [];
  #isGone = false;

  send(status: number, headers?: HeaderList): void {
    if (this.status !== 0) throw new Error('A second answer');
    this.status = status;
    this.headers = { ...this.commonHeaders, ...headers };
  }

  sendJson(status: number, body: MessageBody, headers?: HeaderList): void {
    this.send(status, { ...headers, 'Content-Type': 'application/json' });
    this.body = typeof body === 'string' ? body : body.text + new TextDecoder().decode(body.rest);
  }

  stream(headers?: HeaderList): EventSink {
    this.send(200, { ...headers, ...STREAM_HEADERS });
    this.sink = new FakeSink();
    return this.sink;
  }

  onGone(listener: () => void): void {
    if (this.#isGone) listener();
    else this.#gone.push(listener);
  }

  /** The client disconnects. */
  hangUp(): void {
    this.#isGone = true;
    for (const listener of this.#gone.splice(0)) listener();
  }

  /** The parsed body; error responses have `error`. */
  get json(): JsonObject & { error?: { code: number; message: string; data?: unknown } } {
    return JSON.parse(this.body ?? 'null');
  }
}

/** Sends a request and waits for the response, or until a standing stream is open. */
export async function knock(service: HttpService, request: FakeRequest): Promise<FakeReply> {
  const { reply, done } = started(service, request);
  await done;
  return reply;
}

export function started(
  service: HttpService,
  request: FakeRequest,
): { reply: FakeReply; view: FakeView; done: Promise<void> } {
  const view = new FakeView(request);
  const reply = new FakeReply();
  return { view, reply, done: service.answer(view, reply) };
}
