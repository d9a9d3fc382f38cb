/** Calls the exchange of a server directly, in any revision, without a client. */
import { RpcError } from '../../src/errors.ts';
import {
  type ErrorBody,
  failure,
  type Id,
  isFailure,
  isObject,
  type JsonObject,
  type Message,
  notification,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  request,
  resultOf,
  success,
} from '../../src/jsonrpc/message.ts';
import type { AuthInfo } from '../../src/model/caller.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, INITIALIZED, PROTOCOL_VERSION } from '../../src/model/names.ts';
import { CallLink } from '../../src/peer/call-link.ts';
import type { Servable, ServedConversation } from '../../src/peer/exchange.ts';
import { nextTurn } from '../../src/peer/runtime.ts';
import type { PeerSession } from '../../src/peer/session.ts';
import { findRevision, revisions } from '../../src/revisions/index.ts';

/** Oldest first. */
export const everyRevision: readonly string[] = revisions.map(({ id }) => id).toReversed();
export const STATELESS = '2026-07-28';
export const withHandshake: readonly string[] = everyRevision.filter((id) => id !== STATELESS);

/** Answers the server's questions; an `RpcError` becomes an error response. */
export type Answerer = (method: string, params: JsonObject, key: string) => JsonObject | RpcError;

export interface RawOptions {
  /** The newest by default; `undefined` opens a conversation before the handshake. */
  readonly revision?: string | undefined;
  readonly capabilities?: JsonObject;
  readonly answer?: Answerer;
  readonly auth?: AuthInfo;
  readonly session?: PeerSession;
}

export interface Extra {
  readonly id?: Id;
  /** Added to `_meta`; undefined removes a member. */
  readonly meta?: JsonObject;
}

/** A request in progress. */
export interface Started {
  readonly response: Promise<RpcResponse>;
  /** Notifications about this request so far. */
  readonly heard: readonly RpcNotification[];
  abort(reason?: unknown): void;
}

export class Raw {
  readonly session: PeerSession;
  /** Notifications that belong to no request, in order. */
  readonly pushed: RpcNotification[] = [];
  /** Notifications about requests, in order. */
  readonly heard: RpcNotification[] = [];
  /** Requests from the server. */
  readonly asked: RpcRequest[] = [];
  ended = false;
  readonly #options: RawOptions;
  readonly #served: ServedConversation;
  #ids = 0;

  constructor(server: Servable, options: RawOptions) {
    this.#options = options;
    this.session = options.session ?? {};
    const outlet = {
      notify: (message: RpcNotification): void => void this.pushed.push(message),
      ask: (asked: RpcRequest): Promise<RpcResponse> => this.#answer(asked),
      end: (): void => {
        this.ended = true;
      },
    };
    this.#served = server.open(outlet, this.session);
  }

  start(method: string, params?: JsonObject, extra: Extra = {}): Started {
    const heard: RpcNotification[] = [];
    const message = request(extra.id ?? ++this.#ids, method, this.#introduced(params, extra.meta));
    const link = this.#link(message, heard);
    const response = this.#served.exchange(message, link).then((answer) => answer as RpcResponse); // requests are answered
    return { response, heard, abort: (reason) => link.cancel(reason) };
  }

  async request(method: string, params?: JsonObject, extra?: Extra): Promise<RpcResponse> {
    return this.start(method, params, extra).response;
  }

  async result(method: string, params?: JsonObject, extra?: Extra): Promise<JsonObject> {
    return resultOf(await this.request(method, params, extra));
  }

  async error(method: string, params?: JsonObject, extra?: Extra): Promise<ErrorBody> {
    const response = await this.request(method, params, extra);
    if (isFailure(response)) return response.error;
    throw new Error(`${method} was answered: ${JSON.stringify(response.result)}`);
  }

  /** Like `result`, but answers questions until the request is complete. */
  async complete(method: string, params: JsonObject = {}, extra?: Extra): Promise<JsonObject> {
    let result = await this.result(method, params, extra);
    while (result['resultType'] === 'input_required') {
      result = await this.result(method, { ...params, ...this.answers(result) }, extra);
    }
    return result;
  }

  /** The answers to add to the params of the next round. */
  answers({ inputRequests, requestState }: JsonObject): JsonObject {
    const asked = Object.entries((inputRequests ?? {}) as Record<string, RpcRequest>); // an interim result
    const inputResponses = asked.map(([key, { method, params }]) => [key, this.#say(method, params ?? {}, key)]);
    return { inputResponses: Object.fromEntries(inputResponses), requestState };
  }

  say(method: string, params?: JsonObject): Promise<RpcResponse | undefined> {
    return this.send(notification(method, params));
  }

  send(message: Message): Promise<RpcResponse | undefined> {
    return this.#served.exchange(message, this.#link(message, []));
  }

  close(): void {
    this.#served.close();
  }

  #link(message: Message, heard: RpcNotification[]): CallLink {
    const send = (one: RpcNotification): void => {
      heard.push(one);
      this.heard.push(one);
    };
    const { auth } = this.#options;
    // A response needs no link content.
    return new CallLink(message as RpcRequest, { send, ask: (asked) => this.#answer(asked) }, { auth });
  }

  async #answer(asked: RpcRequest): Promise<RpcResponse> {
    this.asked.push(asked);
    // An answer never arrives in the turn of its question.
    await nextTurn();
    const said = this.#say(asked.method, asked.params ?? {}, '');
    return said instanceof RpcError ? failure(asked.id, said) : success(asked.id, said);
  }

  #say(method: string, params: JsonObject, key: string): JsonObject | RpcError {
    const { answer } = this.#options;
    if (answer === undefined) throw new Error(`Nobody answers ${method} here`);
    return answer(method, params, key);
  }

  #introduced(params: JsonObject | undefined, meta: JsonObject | undefined): JsonObject | undefined {
    const { revision, capabilities = {} } = this.#options;
    const own: Record<string, unknown> = isObject(params?.['_meta']) ? { ...params['_meta'] } : {};
    if (revision !== undefined && findRevision(revision)?.hasSessions === false) {
      own[PROTOCOL_VERSION] = revision;
      own[CLIENT_CAPABILITIES] = capabilities;
      own[CLIENT_INFO] = clientInfo;
    }
    for (const [key, value] of Object.entries(meta ?? {})) {
      if (value === undefined) delete own[key];
      else own[key] = value;
    }
    return Object.keys(own).length === 0 ? params : { ...params, _meta: own };
  }
}

export const clientInfo = { name: 'raw', version: '1' } as const;

export const hello = (protocolVersion: string, capabilities: JsonObject = {}): JsonObject => ({
  protocolVersion,
  capabilities,
  clientInfo,
});

/** Opens a conversation, with the handshake if the revision has one. */
export async function open(server: Servable, options: RawOptions = {}): Promise<Raw> {
  const revision = 'revision' in options ? options.revision : STATELESS;
  const raw = new Raw(server, { ...options, revision });
  if (revision === undefined || findRevision(revision)?.hasSessions !== true) return raw;
  await raw.result('initialize', hello(revision, options.capabilities), { id: 'hello' });
  await raw.say(INITIALIZED);
  return raw;
}

/** The text of the first content block of a tool result. */
export function textOf(result: JsonObject): string {
  const [block] = result['content'] as readonly { text?: string }[]; // a CallToolResult
  return block?.text ?? '';
}
