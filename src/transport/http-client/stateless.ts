/** The client side of revisions without sessions: each request is a POST with its own client info, and is cancelled by aborting it. */
import { McpError } from '../../errors.ts';
import {
  type Id,
  isFailure,
  isObject,
  isRequest,
  isResponse,
  type JsonObject,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  request,
} from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse, readableId } from '../../jsonrpc/read.ts';
import type { HeaderFields } from '../../model/auth.ts';
import { HEADER_MISMATCH, PROGRESS } from '../../model/names.ts';
import type { Deadline } from '../../peer/deadlines.ts';
import { type Exchange, type Link, linkWith, whenAborted } from '../../peer/exchange.ts';
import { IntrusiveSet } from '../../peer/intrusive-set.ts';
import type { Revision } from '../../revisions/contract.ts';
import { MAX_CURSOR_LENGTH } from '../../revisions/decode-lists.ts';
import { answerIn, type ErrorResponse, toHttpError, unexpectedError } from './http-errors.ts';
import { Mirrors } from './mirrors.ts';
import type { ResponseHandler } from './outgoing-http-request.ts';
import { POST_HEADERS, type Sender } from './sender.ts';
import type { SseEvent } from './sse-parser.ts';
import type { WireCall } from './wire.ts';

/** Maximum number of pages of tools that are read to find the headers of a tool. */
const MAX_PAGES = 64;

export class StatelessClient {
  readonly sender: Sender;
  readonly inbound: Exchange;
  readonly open: IntrusiveSet<StatelessReply> = new IntrusiveSet();
  readonly #mirrors: Mirrors;
  readonly #headers: Map<string, Readonly<Record<string, string>>> = new Map();
  #refreshes = 0;

  constructor(sender: Sender, inbound: Exchange) {
    this.sender = sender;
    this.inbound = inbound;
    this.#mirrors = new Mirrors(sender.settings.warn);
  }

  close(reason: Error): void {
    for (const reply of this.open.clear()) reply.abort(reason);
  }

  async exchange(message: RpcRequest, link: Link, revision: Revision): Promise<RpcResponse> {
    const headers = this.#mirrors.headersOf(message);
    const response = await this.#send(message, link, revision, headers);
    if (isFailure(response)) {
      if (response.error.code !== HEADER_MISMATCH || message.method !== 'tools/call') return response;
      const better = await this.#refreshHeaders(message, link, revision);
      return better === undefined || haveSameValues(better, headers)
        ? response
        : this.#send(message, link, revision, better);
    }
    if (message.method !== 'tools/list') return response;
    return { ...response, result: this.#mirrors.learn(response.result) };
  }

  /** Lists the tools again, for the headers that a call needs by their current schemas. Undefined if the list fails. */
  async #refreshHeaders(call: RpcRequest, link: Link, revision: Revision): Promise<Record<string, string> | undefined> {
    const mirrors = this.#mirrors;
    const { progressToken: _, ...meta } = isObject(call.params?.['_meta']) ? call.params['_meta'] : {};
    let cursor: JsonObject = {};
    for (let page = 0; page < MAX_PAGES; page++) {
      const list = request(`tools-${++this.#refreshes}`, 'tools/list', { ...cursor, _meta: meta });
      const response = await this.#send(list, link, revision, mirrors.headersOf(list));
      if (isFailure(response)) return undefined;
      mirrors.learn(response.result);
      const { nextCursor } = response.result;
      if (typeof nextCursor !== 'string' || nextCursor.length > MAX_CURSOR_LENGTH) break;
      cursor = { cursor: nextCursor };
    }
    return mirrors.headersOf(call);
  }

  #send(message: RpcRequest, link: Link, revision: Revision, headers: HeaderFields): Promise<RpcResponse> {
    return new Promise((resolve, reject) => {
      const reply = new StatelessReply(message, { link, client: this, resolve, reject });
      const posted = {
        method: 'POST',
        operation: message.method,
        headers: Object.assign({}, this.#common(revision.id), headers),
        body: JSON.stringify(message),
        expects: 'answer',
        repeatable: revision.methods.requests.get(message.method)?.repeatable === true,
      } as const;
      this.open.add(reply);
      reply.call = this.sender.send(posted, reply);
      whenAborted(link, (reason) => reply.abort(reason));
    });
  }

  /** The headers of all requests of a revision, cached. */
  #common(version: string): Readonly<Record<string, string>> {
    const known = this.#headers.get(version);
    if (known !== undefined) return known;
    const headers = { ...this.sender.settings.headers, ...POST_HEADERS, 'mcp-protocol-version': version };
    this.#headers.set(version, headers);
    return headers;
  }
}

interface PendingPost {
  readonly link: Link;
  readonly client: StatelessClient;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

export class StatelessReply implements ResponseHandler, Deadline {
  readonly #request: RpcRequest;
  readonly #waiting: PendingPost;
  place = -1;
  due: number = Number.POSITIVE_INFINITY;
  call: WireCall | undefined;
  #isDone = false;

  constructor(message: RpcRequest, waiting: PendingPost) {
    this.#request = message;
    this.#waiting = waiting;
  }

  abort(reason: unknown): void {
    if (this.#isDone) return;
    this.call?.abort();
    this.#fail(reason);
  }

  json(text: string): void {
    this.#take(text);
    if (!this.#isDone) this.#fail(this.#badResult('it has no response to the request'));
  }

  event({ type, data }: SseEvent): void {
    if (this.#isDone || data === '' || type !== 'message') return;
    this.#take(data);
    if (this.#isDone) this.#waiting.client.sender.linger(this);
  }

  expire(): void {
    this.call?.abort();
  }

  accepted(): void {
    this.#fail(unexpectedError(this.#url, this.#request.method, 'it accepted the request but sent no response'));
  }

  rejected(response: ErrorResponse): void {
    const { id, method } = this.#request;
    const failure = answerIn(response, id);
    if (failure !== undefined && this.#isOurs(failure.id, failure.error.code)) this.#settle({ ...failure, id });
    else this.#fail(toHttpError(response, this.#url, method));
  }

  ended(): void {
    const why = `the stream of ${this.#request.method} ended before the answer`;
    if (this.#isDone) this.#waiting.client.sender.stopLingering(this);
    else this.#fail(new McpError('MCP_CLOSED', { why }));
  }

  failed(error: McpError): void {
    if (this.#isDone) this.#waiting.client.sender.stopLingering(this);
    else this.#fail(error);
  }

  get #url(): URL {
    return this.#waiting.client.sender.settings.url;
  }

  /** Whether an error answers our request. Without an id, only codes with the same meaning in all revisions count. */
  #isOurs(id: Id | null | undefined, code: number): boolean {
    return id === this.#request.id || ((id ?? undefined) === undefined && (code > -32000 || code < -32019));
  }

  #take(text: string): void {
    let value: unknown;
    try {
      value = parse(text);
    } catch {
      return;
    }
    const fault = faultOf(value);
    if (fault !== undefined) {
      if (readableId(value) === this.#request.id) this.#fail(this.#badResult(fault));
      return;
    }
    const message = asMessage(value);
    if (isResponse(message)) {
      if (message.id === this.#request.id) this.#settle(message);
      else if (isFailure(message) && (message.id ?? undefined) === undefined)
        this.#settle({ ...message, id: this.#request.id });
    } else if (isRequest(message)) this.#receiveRequest(message);
    else this.#receiveNotification(message);
  }

  #receiveRequest(message: RpcRequest): void {
    const { client, link } = this.#waiting;
    client.inbound(message, linkWith(link, { of: this.#request.id })).catch(() => undefined);
  }

  #receiveNotification(message: RpcNotification): void {
    const own = this.#request.params?.['_meta'];
    const hasOtherToken =
      message.method === PROGRESS &&
      message.params?.['progressToken'] !== (isObject(own) ? own['progressToken'] : undefined);
    if (!hasOtherToken) this.#waiting.link.notify(message);
  }

  #settle(response: RpcResponse): void {
    if (this.#finish()) this.#waiting.resolve(response);
  }

  #fail(reason: unknown): void {
    if (this.#finish()) this.#waiting.reject(reason);
  }

  /** Returns false if the request is already settled. */
  #finish(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#waiting.client.open.delete(this);
    return true;
  }

  #badResult(why: string): McpError {
    return new McpError('MCP_BAD_RESULT', { method: this.#request.method, why });
  }
}

function haveSameValues(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
