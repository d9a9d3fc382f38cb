/** Requests that say themselves who is calling: each is a POST of its own, and hanging up cancels it. Nothing is remembered. */
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
import { HEADER_MISMATCH, PROGRESS } from '../../model/names.ts';
import { displayUrl } from '../../model/printable.ts';
import type { Deadline } from '../../peer/deadlines.ts';
import { type Exchange, type Link, whenAborted } from '../../peer/exchange.ts';
import type { IntrusiveSet } from '../../peer/intrusive-set.ts';
import type { Revision } from '../../revisions/contract.ts';
import type { Mirrors } from './mirrors.ts';
import { answerIn, type Refusal, toRefusalError } from './refusal.ts';
import { exchangeHttp, type ReplyHandler } from './reply.ts';
import { POSTED, type Sender } from './sender.ts';
import type { SseEvent } from './sse-parser.ts';
import type { WireCall } from './wire.ts';

/** Pages of tools that are read to find out what headers a tool wants. */
const MAX_PAGES = 64;
/** How long a stream may stay open after its answer. */
const GRACE_MS = 1_000;

export interface StatelessClientContext {
  readonly sender: Sender;
  readonly mirrors: Mirrors;
  readonly inbound: Exchange;
  /** Requests under way, so that closing can fail them. */
  readonly open: IntrusiveSet<StatelessReply>;
}

export class StatelessClient {
  readonly #context: StatelessClientContext;
  readonly #headers: Map<string, Readonly<Record<string, string>>> = new Map();
  #refreshes = 0;

  constructor(context: StatelessClientContext) {
    this.#context = context;
  }

  async exchange(message: RpcRequest, link: Link, revision: Revision): Promise<RpcResponse> {
    const { mirrors } = this.#context;
    const headers = mirrors.headersOf(message);
    const response = await this.#send(message, link, { revision, headers });
    if (isFailure(response)) {
      if (response.error.code !== HEADER_MISMATCH || message.method !== 'tools/call') return response;
      const better = await this.#refreshed(message, link, revision);
      return better === undefined || same(better, headers)
        ? response
        : this.#send(message, link, { revision, headers: better });
    }
    if (message.method !== 'tools/list') return response;
    return { ...response, result: mirrors.learn(response.result) };
  }

  /** The headers that a call wants by what the server says of its tools now; undefined if it does not say. */
  async #refreshed(call: RpcRequest, link: Link, revision: Revision): Promise<Record<string, string> | undefined> {
    const { mirrors } = this.#context;
    const { progressToken: _, ...meta } = isObject(call.params?.['_meta']) ? call.params['_meta'] : {};
    let cursor: JsonObject = {};
    for (let page = 0; page < MAX_PAGES; page++) {
      const list = request(`tools-${++this.#refreshes}`, 'tools/list', { ...cursor, _meta: meta });
      const response = await this.#send(list, link, { revision, headers: mirrors.headersOf(list) });
      if (isFailure(response)) return undefined;
      mirrors.learn(response.result);
      const { nextCursor } = response.result;
      if (typeof nextCursor !== 'string') break;
      cursor = { cursor: nextCursor };
    }
    return mirrors.headersOf(call);
  }

  #send(message: RpcRequest, link: Link, { revision, headers }: PostOptions): Promise<RpcResponse> {
    const { sender, open } = this.#context;
    return new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const reply = new StatelessReply(message, { link, context: this.#context, resolve, reject });
      const sent = {
        method: 'POST',
        what: message.method,
        headers: Object.assign({}, this.#common(revision.id), headers),
        body,
        repeatable: revision.methods.requests.get(message.method)?.repeatable === true,
      } as const;
      open.add(reply);
      reply.call = exchangeHttp(sender, sent, reply);
      whenAborted(link, (reason) => reply.abort(reason));
    });
  }

  /** What all requests of a revision have in common. */
  #common(version: string): Readonly<Record<string, string>> {
    const known = this.#headers.get(version);
    if (known !== undefined) return known;
    const headers = { ...this.#context.sender.settings.headers, ...POSTED, 'mcp-protocol-version': version };
    this.#headers.set(version, headers);
    return headers;
  }
}

interface PostOptions {
  readonly revision: Revision;
  readonly headers: Readonly<Record<string, string>>;
}

interface PendingPost {
  readonly link: Link;
  readonly context: StatelessClientContext;
  resolve(response: RpcResponse): void;
  reject(reason: unknown): void;
}

export class StatelessReply implements ReplyHandler {
  readonly wants = 'answer';
  readonly #request: RpcRequest;
  readonly #waiting: PendingPost;
  place = -1;
  call: WireCall | undefined;
  #done = false;
  #grace: Deadline | undefined;

  constructor(message: RpcRequest, waiting: PendingPost) {
    this.#request = message;
    this.#waiting = waiting;
  }

  abort(reason: unknown): void {
    if (this.#done) return;
    this.call?.hangUp();
    this.#fail(reason);
  }

  json(text: string): void {
    this.#take(text);
    if (!this.#done) this.#fail(this.#bad('it does not answer the request'));
  }

  event({ type, data }: SseEvent): void {
    if (this.#done || data === '' || type !== 'message') return;
    this.#take(data);
    // The server should hang up now; if it does not, we do.
    if (this.#done) this.#grace = this.#graced();
  }

  accepted(): void {
    const { settings } = this.#waiting.context.sender;
    const why = 'it accepted the request and gave no answer';
    this.#fail(
      new McpError('MCP_HTTP_UNEXPECTED', { url: displayUrl(settings.url), method: this.#request.method, why }),
    );
  }

  refused(refusal: Refusal): void {
    const failure = answerIn(refusal, this.#request.id);
    if (failure !== undefined && this.#meant(failure.id, failure.error.code)) {
      this.#settle({ ...failure, id: this.#request.id });
    } else this.#fail(toRefusalError(refusal, this.#waiting.context.sender.settings.url, this.#request.method));
  }

  ended(): void {
    this.#finished();
    const why = `the stream of ${this.#request.method} ended before the answer`;
    if (!this.#done) this.#fail(new McpError('MCP_CLOSED', { why }));
  }

  failed(error: McpError): void {
    this.#finished();
    this.#fail(error);
  }

  #graced(): Deadline {
    const { settings, graces } = this.#waiting.context.sender;
    const grace = { due: settings.clock.now() + GRACE_MS, place: -1, expire: () => this.call?.hangUp() };
    graces.arm(grace);
    return grace;
  }

  #finished(): void {
    if (this.#grace !== undefined) this.#waiting.context.sender.graces.disarm(this.#grace);
  }

  /** Whether an error speaks of our request; a server of another era uses numbers that mean nothing here. */
  #meant(id: Id | null | undefined, code: number): boolean {
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
      if (readableId(value) === this.#request.id) this.#fail(this.#bad(fault));
      return;
    }
    const message = asMessage(value);
    if (isResponse(message)) {
      if (message.id === this.#request.id) this.#settle(message);
      else if (isFailure(message) && (message.id ?? undefined) === undefined)
        this.#settle({ ...message, id: this.#request.id });
    } else if (isRequest(message)) this.#waiting.context.inbound(message, this.#waiting.link).catch(() => undefined);
    else this.#notified(message);
  }

  #notified(message: RpcNotification): void {
    const own = this.#request.params?.['_meta'];
    const foreign =
      message.method === PROGRESS &&
      message.params?.['progressToken'] !== (isObject(own) ? own['progressToken'] : undefined);
    if (!foreign) this.#waiting.link.notify(message);
  }

  #settle(response: RpcResponse): void {
    if (this.#done) return;
    this.#done = true;
    this.#waiting.context.open.delete(this);
    this.#waiting.resolve(response);
  }

  #fail(reason: unknown): void {
    if (this.#done) return;
    this.#done = true;
    this.#waiting.context.open.delete(this);
    this.#waiting.reject(reason);
  }

  #bad(why: string): McpError {
    return new McpError('MCP_BAD_RESULT', { method: this.#request.method, why });
  }
}

function same(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}
