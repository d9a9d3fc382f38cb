/** The rules on `node:http`: read from `IncomingMessage`, written to `ServerResponse`, and nothing in between. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import process from 'node:process';
import { MAX_DEPTH } from '../../jsonrpc/read.ts';
import type { MessageBody } from '../../jsonrpc/write.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import { HttpRejection } from './rejections.ts';
import { cutOff, flushNow, type PendingWrite, type TurnWrites } from './turn-writes.ts';
import { type EventSink, type HeaderList, type HttpReply, type HttpView, JSON_TYPE, STREAM_HEADERS } from './view.ts';

const allOf = (rawHeaders: readonly string[], name: string): string =>
  rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name).join(', ');

/** Bytes that a framework has not parsed have no levels. */
const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !ArrayBuffer.isView(value) &&
  (levels === 0 || Object.values(value).some((one) => isDeeperThan(one, levels - 1)));

/** Of several, Node keeps the first, unless its server joins them; a proxy in front of us can have checked the last. */
const KEPT_ONCE: ReadonlySet<string> = new Set(['authorization', 'content-type', 'host']);

export class NodeView implements HttpView {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Frameworks leave what they parsed on the request, however deep it is. */
  readonly parsed: unknown;
  readonly #isTooDeep: boolean;
  readonly #request: IncomingMessage;
  /** Asked for once: behind it there is a getter. */
  readonly #headers: IncomingHttpHeaders;

  constructor(request: IncomingMessage, path: string, query = '') {
    this.#request = request;
    this.#headers = request.headers;
    this.path = path;
    this.query = query;
    this.method = request.method ?? '';
    const body = 'body' in request ? request.body : undefined;
    this.#isTooDeep = body !== undefined && isDeeperThan(body, MAX_DEPTH);
    this.parsed = this.#isTooDeep ? undefined : body;
  }

  header(name: string): string | undefined {
    if (KEPT_ONCE.has(name)) {
      const { rawHeaders } = this.#request;
      let count = 0;
      // Most names differ in length: only the others are turned into lower case.
      for (let at = 0; at < rawHeaders.length; at += 2)
        if (rawHeaders[at]?.length === name.length && rawHeaders[at]?.toLowerCase() === name) count++;
      if (count > 1) return allOf(rawHeaders, name);
    }
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress;
  }

  text(limit: number): Promise<string> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      if (Number(this.#headers['content-length'] ?? 0) > limit) {
        reject(new HttpRejection('bodySize', { limit }));
        return;
      }
      // A middleware has read it and left nothing that could be used.
      if (request.readableEnded) {
        if (this.#isTooDeep) reject(new HttpRejection('bodyText', { fault: `nested deeper than ${MAX_DEPTH} levels` }));
        else resolve('');
        return;
      }
      // Most bodies come in one piece, which is used as it is.
      let only: Buffer | undefined;
      let several: CollectedBytes | undefined;
      let length = 0;
      const onData = (chunk: Buffer): void => {
        length += chunk.length;
        if (length > limit) {
          request.off('data', onData).pause();
          reject(new HttpRejection('bodySize', { limit }));
        } else if (only === undefined) only = chunk;
        else {
          if (several === undefined) {
            several = new CollectedBytes();
            several.add(only);
          }
          several.add(chunk);
        }
      };
      request.on('data', onData);
      request.on('end', () => {
        const bytes = several === undefined ? (only ?? Buffer.alloc(0)) : asBuffer(several.bytes);
        // Without a name for UTF-8, which it is anyway: that is looked up each time.
        const text = bytes.toString();
        // Bytes that are not UTF-8 are decoded to U+FFFD; that character can also have been sent as such.
        if (!text.includes('\uFFFD') || isUtf8(bytes)) resolve(text);
        else reject(new HttpRejection('bodyText', { fault: 'not UTF-8' }));
      });
      // A client that disconnects gets no response: its end is not listened for, and nothing of this is kept.
    });
  }
}

/** Characters or bytes of a response that the system takes over, whether or not a client reads them. */
const MAX_UNWATCHED = 65_536;
/** How long a client can take nothing of a longer one. */
const UNREAD_MS = 30_000;

/** A client that does not read would have us keep its response for ever. */
function cutUnread(response: ServerResponse): void {
  const restoreLater = (socket: Socket): void => {
    const before = socket.timeout ?? 0;
    // Ahead of Node's own listener, which gives the connection to the next response: that can have this limit too.
    response.prependOnceListener('finish', () => socket.setTimeout(before));
  };
  // A response to a pipelined request has no connection until those before it are finished.
  if (response.socket === null) response.once('socket', restoreLater);
  else restoreLater(response.socket);
  response.setTimeout(UNREAD_MS, () => {
    // A stream can also be silent because all of it was read.
    if (response.writableLength > 0) response.destroy();
  });
}

export class NodeReply implements HttpReply, PendingWrite {
  commonHeaders: HeaderList | undefined;
  readonly response: ServerResponse;
  readonly #request: IncomingMessage;
  readonly #writes: TurnWrites;
  /** The head is this one's. A framework can have answered first, such as one that limits the time of a request. */
  #isOurs = false;
  #sink: NodeSink | undefined;
  /** What is written with the other responses of this turn. */
  #rest: string | Uint8Array | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, writes: TurnWrites) {
    this.#request = request;
    this.response = response;
    this.#writes = writes;
  }

  send(status: number, headers?: HeaderList): void {
    this.#end(status, { ...this.commonHeaders, ...headers });
  }

  sendJson(status: number, body: MessageBody, headers?: HeaderList): void {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : Buffer.byteLength(body.text) + body.rest.length;
    // Spread only where there is something to spread: every response would pay for it.
    const own = { 'Content-Type': JSON_TYPE, 'Content-Length': length };
    const common = this.commonHeaders;
    this.#end(status, (headers ?? common) ? { ...common, ...headers, ...own } : own, body);
  }

  #end(status: number, headers: Record<string, string | number>, body?: MessageBody): void {
    const response = this.response;
    // What failed while its stream was open has no other response.
    this.#sink?.abort();
    if (response.destroyed || response.headersSent) return;
    this.#isOurs = true;
    // The unread rest of a body must not be taken for the next request.
    if (!this.#request.complete && hasBody(this.#request)) headers['Connection'] = 'close';
    response.writeHead(status, headers);
    const rest = typeof body === 'object' ? body.rest : body;
    this.#rest = rest;
    const isLong = rest !== undefined && rest.length > MAX_UNWATCHED;
    try {
      if (typeof body === 'object') response.write(body.text);
      if (isLong || !this.#writes.takes(this)) response.end(rest);
    } catch (error) {
      cutOff(response, error);
    }
    if (isLong) cutUnread(response);
  }

  flush(): void {
    if (!this.response.writableEnded) this.response.end(this.#rest);
  }

  stream(headers?: HeaderList): EventSink {
    const response = this.response;
    this.#isOurs = !response.headersSent;
    if (this.#isOurs) response.writeHead(200, { ...this.commonHeaders, ...headers, ...STREAM_HEADERS });
    this.#sink = new NodeSink(response, this.#isOurs, this.#writes);
    return this.#sink;
  }

  onGone(listener: () => void): void {
    const response = this.response;
    if (response.destroyed || (response.headersSent && !this.#isOurs)) listener();
    else
      response.on('close', () => {
        const hasEnded = this.#isOurs && this.#sink?.hasEnded !== false;
        if (!response.writableFinished || !hasEnded) listener();
      });
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

class NodeSink implements EventSink, PendingWrite {
  readonly response: ServerResponse;
  readonly #writes: TurnWrites;
  /** What was written in this turn. */
  #text = '';
  #due = false;
  #isWatched = false;
  hasEnded: boolean;

  /** Nothing goes to a response that is not ours. */
  constructor(response: ServerResponse, isOurs: boolean, writes: TurnWrites) {
    this.response = response;
    this.#writes = writes;
    this.hasEnded = !isOurs;
    if (isOurs) this.#schedule();
  }

  get queued(): number {
    return this.response.writableLength;
  }

  write(text: string): void {
    if (this.hasEnded) return;
    this.#text += text;
    this.#schedule();
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (!this.#due && !this.#writes.takes(this)) flushNow(this);
  }

  abort(): void {
    if (!this.hasEnded) this.response.destroy();
  }

  #schedule(): void {
    if (this.#due) return;
    this.#due = true;
    if (!this.#writes.takes(this)) process.nextTick(flushNow, this);
  }

  flush(): void {
    this.#due = false;
    const response = this.response;
    const text = this.#text;
    // Also where nothing is sent any more, because it was cut: it must not grow.
    this.#text = '';
    if (response.destroyed || response.writableEnded) return;
    if (this.hasEnded) response.end(text);
    else if (text === '') response.flushHeaders();
    else response.write(text);
    if (this.#isWatched || response.writableLength <= MAX_UNWATCHED) return;
    this.#isWatched = true;
    cutUnread(response);
  }
}

const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
