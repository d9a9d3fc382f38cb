/** Speaks to a server through its bare exchange, in any revision and without a client. */
import { RpcError } from '../../src/errors.ts';
import {
  type ErrorBody,
  failure,
  type Id,
  isFailure,
  isObject,
  type JsonObject,
  type Message,
  type Notification,
  notification,
  type Request,
  type Response,
  request,
  resultOf,
  success,
} from '../../src/jsonrpc/message.ts';
import type { AuthInfo } from '../../src/model/caller.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, INITIALIZED, PROTOCOL_VERSION } from '../../src/model/names.ts';
import { Abort } from '../../src/peer/abort.ts';
import type { Link, Servable, Served } from '../../src/peer/exchange.ts';
import type { Session } from '../../src/peer/session.ts';
import { turn } from '../../src/peer/turn.ts';
import { find, revisions } from '../../src/revisions/index.ts';

/** Oldest first. */
export const everyRevision: readonly string[] = revisions.map(({ id }) => id).toReversed();
export const STATELESS = '2026-07-28';
export const withHandshake: readonly string[] = everyRevision.filter((id) => id !== STATELESS);

/** The client's side of a question; an `RpcError` is its refusal. */
export type Answerer = (method: string, params: JsonObject, key: string) => JsonObject | RpcError;

export interface RawOptions {
  /** The newest by default; `undefined` opens a conversation in which nothing has been said yet. */
  readonly revision?: string | undefined;
  readonly capabilities?: JsonObject;
  readonly answer?: Answerer;
  readonly auth?: AuthInfo;
  readonly session?: Session;
}

export interface Extra {
  readonly id?: Id;
  /** Added to `_meta`; a member that is undefined is taken away. */
  readonly meta?: JsonObject;
}

/** A request on its way. */
export interface Started {
  readonly response: Promise<Response>;
  /** What was said about this request so far. */
  readonly heard: readonly Notification[];
  abort(reason?: unknown): void;
}

export class Raw {
  readonly session: Session;
  /** Everything the server said of its own accord, in order. */
  readonly pushed: Notification[] = [];
  /** Everything the server said about requests, in order. */
  readonly heard: Notification[] = [];
  /** Everything the server asked by sending a request. */
  readonly asked: Request[] = [];
  ended = false;
  readonly #options: RawOptions;
  readonly #served: Served;
  #ids = 0;

  constructor(server: Servable, options: RawOptions) {
    this.#options = options;
    this.session = options.session ?? {};
    const outlet = {
      notify: (message: Notification): void => void this.pushed.push(message),
      ask: (asked: Request): Promise<Response> => this.#answer(asked),
      end: (): void => {
        this.ended = true;
      },
    };
    this.#served = server.open(outlet, this.session);
  }

  start(method: string, params?: JsonObject, extra: Extra = {}): Started {
    const heard: Notification[] = [];
    const link = this.#link(heard);
    const message = request(extra.id ?? ++this.#ids, method, this.#introduced(params, extra.meta));
    const response = this.#served.exchange(message, link).then((answer) => answer as Response); // requests are answered
    return { response, heard, abort: (reason) => link.abort(reason) };
  }

  async request(method: string, params?: JsonObject, extra?: Extra): Promise<Response> {
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

  /** Like `result`, answering what the server asks until the request is complete. */
  async complete(method: string, params: JsonObject = {}, extra?: Extra): Promise<JsonObject> {
    let result = await this.result(method, params, extra);
    while (result['resultType'] === 'input_required') {
      result = await this.result(method, { ...params, ...this.answers(result) }, extra);
    }
    return result;
  }

  /** What to add to the params of the next round. */
  answers({ inputRequests, requestState }: JsonObject): JsonObject {
    const asked = Object.entries((inputRequests ?? {}) as Record<string, Request>); // an interim result
    const inputResponses = asked.map(([key, { method, params }]) => [key, this.#say(method, params ?? {}, key)]);
    return { inputResponses: Object.fromEntries(inputResponses), requestState };
  }

  say(method: string, params?: JsonObject): Promise<Response | undefined> {
    return this.send(notification(method, params));
  }

  send(message: Message): Promise<Response | undefined> {
    return this.#served.exchange(message, this.#link([]));
  }

  close(): void {
    this.#served.close();
  }

  #link(heard: Notification[]): Link & { abort(reason: unknown): void } {
    const abort = new Abort();
    const { auth } = this.#options;
    return {
      get signal() {
        return abort.signal;
      },
      onAbort: (listener) => abort.onAbort(listener),
      abort: (reason) => abort.abort(reason),
      notify: (message) => {
        heard.push(message);
        this.heard.push(message);
      },
      ask: (asked) => this.#answer(asked),
      ...(auth === undefined ? {} : { auth }),
    };
  }

  async #answer(asked: Request): Promise<Response> {
    this.asked.push(asked);
    // No answer comes within the turn of its question.
    await turn();
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
    if (revision !== undefined && find(revision)?.lifecycle.handshake === false) {
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

/** A conversation in which requests can be sent at once: the handshake is done where the revision has one. */
export async function open(server: Servable, options: RawOptions = {}): Promise<Raw> {
  const revision = 'revision' in options ? options.revision : STATELESS;
  const raw = new Raw(server, { ...options, revision });
  if (revision === undefined || find(revision)?.lifecycle.handshake !== true) return raw;
  await raw.result('initialize', hello(revision, options.capabilities), { id: 'hello' });
  await raw.say(INITIALIZED);
  return raw;
}

/** The text of the first block of a tool's result. */
export function textOf(result: JsonObject): string {
  const [block] = result['content'] as readonly { text?: string }[]; // a CallToolResult
  return block?.text ?? '';
}
