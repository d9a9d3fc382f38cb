/** A server that responds as a test says, on a connection that can break. */
import { RpcError } from '../../src/errors.ts';
import {
  failure,
  isObject,
  isRequest,
  type JsonObject,
  type Message,
  notification,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../../src/jsonrpc/message.ts';
import { PROTOCOL_VERSION } from '../../src/model/names.ts';
import { Duplex } from '../../src/peer/duplex.ts';
import type { Connection, Exchange, Transport } from '../../src/peer/exchange.ts';
import type { PeerSession } from '../../src/peer/session.ts';
import { findRevision } from '../../src/revisions/index.ts';

/** A result, an error response, or `silence`. */
type Outcome = JsonObject | RpcError | typeof silence;
export const silence: unique symbol = Symbol('silence');
export type Handler = (params: JsonObject, line: FakeLine, request: RpcRequest) => Outcome | Promise<Outcome>;

export interface FakeOptions {
  /** The only revision it supports. */
  readonly revision: string;
  readonly capabilities?: JsonObject;
  readonly on?: Readonly<Record<string, Handler>>;
}

const everything = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };

export class FakeServer {
  readonly lines: FakeLine[] = [];
  readonly #handlers: Map<string, Handler>;

  constructor({ revision, capabilities = everything, on = {} }: FakeOptions) {
    const serverInfo = { name: 'fake', version: '1' };
    const stateless = findRevision(revision)?.hasSessions === false;
    const opening: Record<string, Handler> = stateless
      ? { 'server/discover': () => ({ supportedVersions: [revision], capabilities, ttlMs: 0, cacheScope: 'private' }) }
      : { initialize: () => ({ protocolVersion: revision, capabilities, serverInfo }) };
    this.#handlers = new Map(Object.entries({ ...opening, ...on }));
  }

  readonly transport: Transport = async (inbound, session) => {
    const line = new FakeLine(this.#handlers, inbound, session);
    this.lines.push(line);
    return line;
  };

  get line(): FakeLine {
    const line = this.lines.at(-1);
    if (line === undefined) throw new Error('no client has connected');
    return line;
  }

  /** All messages from the client, on all connections. */
  get heard(): Message[] {
    return this.lines.flatMap((line) => line.heard);
  }

  /** The methods of these messages. */
  get methods(): string[] {
    return this.heard.flatMap((message) => ('method' in message ? [message.method] : []));
  }

  /** The params of all messages with this method. */
  params(method: string): JsonObject[] {
    return this.heard.flatMap((m) => ('method' in m && m.method === method ? [m.params ?? {}] : []));
  }
}

export class FakeLine implements Connection {
  readonly closed: Promise<Error | undefined>;
  readonly heard: Message[] = [];
  readonly #handlers: ReadonlyMap<string, Handler>;
  readonly #duplex: Duplex;
  readonly #answers: Map<unknown, (response: RpcResponse) => void> = new Map();
  #settle: (reason: Error | undefined) => void = () => undefined;
  #asked = 0;
  /** `close` waits for this. */
  closing: Promise<void> = Promise.resolve();

  constructor(handlers: ReadonlyMap<string, Handler>, inbound: Exchange, session: PeerSession) {
    this.#handlers = handlers;
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.#duplex = new Duplex({ send: (message) => this.#take(message as Message), inbound, session });
  }

  get exchange(): Exchange {
    return this.#duplex.exchange;
  }

  async close(): Promise<void> {
    this.#duplex.end(new Error('closed by the client'));
    await this.closing;
    this.#settle(undefined);
  }

  /** Ends the conversation from the server's side. */
  die(reason: Error = new Error('the server died')): void {
    this.#duplex.end(reason);
    this.#settle(reason);
  }

  /** Sends a message; on transports with streams, on the stream of `about`. */
  say(value: unknown, about?: RpcRequest): void {
    const facts = about === undefined ? undefined : { of: about.id };
    this.#duplex.receive(JSON.parse(JSON.stringify(value)), facts);
  }

  notify(method: string, params?: JsonObject): void {
    this.say(notification(method, params));
  }

  /** Sends a request to the client, and returns the whole response. */
  ask(method: string, params?: JsonObject, about?: RpcRequest): Promise<RpcResponse> {
    const id = `ask-${++this.#asked}`;
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      this.say({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) }, about);
    });
  }

  progress(request: RpcRequest, params: JsonObject): void {
    const meta = request.params?.['_meta'];
    this.notify('notifications/progress', { progressToken: isObject(meta) ? meta['progressToken'] : '?', ...params });
  }

  #take(sent: Message): void {
    const message = JSON.parse(JSON.stringify(sent)) as Message;
    this.heard.push(message);
    if (isRequest(message)) void this.#answer(message);
    else if (!('method' in message)) this.#answers.get(message.id)?.(message);
  }

  async #answer(request: RpcRequest): Promise<void> {
    const handler = this.#handlers.get(request.method);
    await Promise.resolve();
    const outcome = await (handler ?? unknownMethod)(request.params ?? {}, this, request);
    if (outcome === silence) return;
    this.say(outcome instanceof RpcError ? failure(request.id, outcome) : success(request.id, outcome));
  }
}

const unknownMethod: Handler = (_params, _line, { method }) => new RpcError(-32601, `Method not found: ${method}`);

/** The revision in the `_meta` of a request. */
export const versionIn = (params: JsonObject): unknown => {
  const meta = params['_meta'];
  return isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
};
