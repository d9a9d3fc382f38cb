/** `HttpReply` for Node: writes to `ServerResponse`, and cuts off clients that do not read. */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import process from 'node:process';
import type { MessageBody } from '../../jsonrpc/write.ts';
import { cutOff, flushNow, type PendingWrite, type TurnWrites } from './turn-writes.ts';
import { type EventSink, type HeaderList, type HttpReply, JSON_TYPE, STREAM_HEADERS } from './view.ts';

/** Characters or bytes of a response that fit the system's socket buffer. Only longer responses get a timeout. */
const MAX_UNWATCHED = 65_536;
/** How long a client can read nothing of a longer response. */
const UNREAD_MS = 30_000;

/** Sets the timeout of a response: if a client does not read it, the response would stay in memory for ever. */
function cutUnread(response: ServerResponse): void {
  const restoreLater = (socket: Socket): void => {
    const before = socket.timeout ?? 0;
    // Prepended to Node's own listener, which hands the socket to the next response, which can set its own timeout.
    response.prependOnceListener('finish', () => socket.setTimeout(before));
  };
  // The response to a pipelined request has no socket until the earlier responses are finished.
  if (response.socket === null) response.once('socket', restoreLater);
  else restoreLater(response.socket);
  response.setTimeout(UNREAD_MS, () => {
    // An idle stream whose text has all been read is not cut off.
    if (response.writableLength > 0) response.destroy();
  });
}

export class NodeReply implements HttpReply, PendingWrite {
  commonHeaders: HeaderList | undefined;
  readonly response: ServerResponse;
  readonly #request: IncomingMessage;
  readonly #writes: TurnWrites;
  /** Whether this object wrote the head. A framework can respond first, for example when a request times out. */
  #isOurs = false;
  #sink: NodeSink | undefined;
  /** The part of the body that is written at the end of the turn. */
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
    // Spreads only if needed, because every response would pay for it.
    const own = { 'Content-Type': JSON_TYPE, 'Content-Length': length };
    const common = this.commonHeaders;
    this.#end(status, (headers ?? common) ? { ...common, ...headers, ...own } : own, body);
  }

  #end(status: number, headers: Record<string, string | number>, body?: MessageBody): void {
    const response = this.response;
    // An error after the stream was opened can only abort the stream.
    this.#sink?.abort();
    if (response.destroyed || response.headersSent) return;
    this.#isOurs = true;
    // The rest of an unread body would be parsed as the next request.
    if (!this.#request.complete && hasBody(this.#request)) headers['Connection'] = 'close';
    response.writeHead(status, headers);
    const rest = typeof body === 'object' ? body.rest : body;
    this.#rest = rest;
    const isLong = rest !== undefined && rest.length > MAX_UNWATCHED;
    try {
      if (typeof body === 'object') response.write(body.text);
      if (isLong || !this.#writes.tryDefer(this)) response.end(rest);
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
  /** Text written in this turn. */
  #text = '';
  #due = false;
  #isWatched = false;
  hasEnded: boolean;

  /** Writes nothing if another party wrote the head. */
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
    if (!this.#due && !this.#writes.tryDefer(this)) flushNow(this);
  }

  abort(): void {
    if (!this.hasEnded) this.response.destroy();
  }

  #schedule(): void {
    if (this.#due) return;
    this.#due = true;
    if (!this.#writes.tryDefer(this)) process.nextTick(flushNow, this);
  }

  flush(): void {
    this.#due = false;
    const response = this.response;
    const text = this.#text;
    // Cleared first, so that it cannot grow if the response was destroyed.
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
