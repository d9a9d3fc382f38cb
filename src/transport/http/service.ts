/**
 * One endpoint for every revision: the message decides. The order of the checks is the order of the answers; what is
 * refused early is not read, and every status is decided before a stream opens.
 */
import { RpcError } from '../../errors.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isRequest,
  type Message,
  PARSE_ERROR,
} from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse, readableId } from '../../jsonrpc/read.ts';
import { LISTEN, PROTOCOL_VERSION } from '../../model/names.ts';
import type { Servable } from '../../peer/exchange.ts';
import { revisions } from '../../revisions/index.ts';
import { claimedVersion } from '../../revisions/lifecycles/request.ts';
import { Admission, type Admitted } from './admission.ts';
import { Guard } from './guard.ts';
import { type Accepts, acceptsOf, bodyFault } from './media.ts';
import { type HttpOptions, type HttpSettings, httpSettings } from './options.ts';
import { Pulse } from './pulse.ts';
import { SessionDesk } from './session-desk.ts';
import { type Incoming, Stateless } from './stateless.ts';
import { BodyFault, type HeaderList, type HttpView, type Reply, refuse } from './view.ts';

export class HttpService {
  readonly settings: HttpSettings;
  readonly pulse: Pulse;
  readonly admission: Admission;
  readonly #guard: Guard;
  readonly #stateless: Stateless;
  readonly #sessions: SessionDesk | undefined;
  readonly #statelessIds: ReadonlySet<string>;
  #open = 0;
  /** Nothing more is begun; what is in hand is finished. */
  closing = false;
  #idle: (() => void)[] = [];

  constructor(server: Servable, options: HttpOptions) {
    this.settings = httpSettings(options);
    this.#guard = new Guard(options);
    this.admission = new Admission(server, options.auth);
    const { settings } = this;
    this.pulse = new Pulse(settings.clock, settings.keepAliveMs);
    const { pulse } = this;
    const ids = server.revisions;
    const spoken = ids === undefined ? revisions : revisions.filter(({ id }) => ids.includes(id));
    const stateless = spoken.filter(({ lifecycle }) => !lifecycle.handshake);
    this.#statelessIds = new Set(stateless.map(({ id }) => id));
    this.#stateless = new Stateless({ server, settings, pulse, spoken: stateless });
    const handshakes = spoken.filter(({ http }) => http.sessions).map(({ id }) => id);
    this.#sessions =
      handshakes.length === 0 ? undefined : new SessionDesk({ server, settings, pulse, spoken: new Set(handshakes) });
  }

  /** Answers whatever comes. Never rejects. One function for all that is waited for: each more would cost every request. */
  async answer(view: HttpView, reply: Reply): Promise<void> {
    let weight = 0;
    try {
      const entering = this.admit(view, reply);
      const admitted = entering instanceof Promise ? await entering : entering;
      if (admitted === undefined) return;
      if (view.method !== 'POST') {
        if (this.#sessions === undefined) refuseMethod(reply, 'POST', admitted.headers);
        else if (this.closing) refuseClosing(reply, admitted.headers);
        else await this.#sessions.standing(view, reply, admitted);
        return;
      }
      const { auth, headers } = admitted;
      const accepts = acceptsOf(view.header('accept'));
      if (!readable(view, reply, { accepts, headers })) return;
      const body: unknown = view.parsed ?? parse(await view.text(this.settings.maxBodyBytes));
      if (this.admission.forbids(body, { reply, auth, headers })) return;
      const incoming = { view, reply, accepts, auth, headers };
      const room = this.#room(body, incoming);
      if (room === undefined) return;
      weight = room;
      const answering = Array.isArray(body) ? this.#batch(body, incoming) : this.#message(asMessage(body), incoming);
      if (answering instanceof Promise) await answering;
    } catch (thrown) {
      this.failed(view, reply, thrown);
    } finally {
      this.#open -= weight;
      if (this.#open === 0 && this.#idle.length > 0) this.#rest();
    }
  }

  /** Lets in those who may come in; everybody else has been answered. */
  admit(view: HttpView, reply: Reply): Admitted | undefined | Promise<Admitted | undefined> {
    const fault = this.#guard.fault(view);
    if (fault !== undefined) {
      refuse(reply, { status: 403, code: INVALID_REQUEST, message: `Forbidden: ${fault}` });
      return undefined;
    }
    const headers = this.#guard.shares ? this.#guard.cors(view) : undefined;
    if (view.method !== 'POST' && view.method !== 'GET' && view.method !== 'DELETE') {
      const preflight = view.method === 'OPTIONS' ? this.#guard.preflight(view) : undefined;
      if (preflight === undefined)
        refuseMethod(reply, this.#sessions === undefined ? 'POST' : 'POST, GET, DELETE', headers);
      else reply.send(204, preflight);
      return undefined;
    }
    return this.admission.verifies ? this.admission.recognise({ view, reply, headers }) : { headers, auth: undefined };
  }

  /** Stops taking requests, waits for those in hand, then ends every stream. */
  async close(drainMs: number): Promise<void> {
    this.closing = true;
    await new Promise<void>((resolve) => {
      if (this.#open === 0) resolve();
      else {
        const stop = this.settings.clock.after(drainMs, resolve);
        this.#idle.push(() => {
          stop();
          resolve();
        });
      }
    });
    this.#stateless.close();
    this.#sessions?.close();
    this.pulse.close();
  }

  /** Makes room for what came and says how many calls it is; undefined when it was refused. */
  #room(value: unknown, { reply, headers }: Incoming): number | undefined {
    const fault = Array.isArray(value) ? undefined : faultOf(value);
    if (fault !== undefined) {
      const refused = {
        status: 400,
        code: INVALID_REQUEST,
        message: `Invalid request: ${fault}`,
        id: readableId(value),
      };
      refuse(reply, { ...refused, ...(headers && { headers }) });
      return undefined;
    }
    const message = Array.isArray(value) ? undefined : asMessage(value);
    const request = message !== undefined && isRequest(message) ? message : undefined;
    // Streams of news are counted by the server; they would leave no room for calls.
    const weight = Array.isArray(value) ? value.length : request === undefined || request.method === LISTEN ? 0 : 1;
    // Answers to our questions are still needed, so that calls in hand can be finished.
    if (this.closing && (message === undefined || request !== undefined)) {
      refuseClosing(reply, headers);
      return undefined;
    }
    const { maxCalls } = this.settings;
    if (weight > 0 && this.#open + weight > maxCalls) {
      const why = `Too many requests at once: ${maxCalls} are open (maxCalls)`;
      refuse(reply, { status: 429, code: INTERNAL_ERROR, message: why, headers: { ...headers, ...later } });
      return undefined;
    }
    this.#open += weight;
    return weight;
  }

  /** Nothing is in hand: whoever waited for that goes on. */
  #rest(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  #message(message: Message, incoming: Incoming): Promise<void> | void {
    const { view, reply, headers } = incoming;
    if (isRequest(message)) {
      const claimed = claimedVersion(message);
      if (claimed !== undefined) return this.#stateless.answer(message, claimed, incoming);
      const stateless = this.#statelessIds.has(view.header('mcp-protocol-version') ?? '');
      if (this.#sessions === undefined || (stateless && message.method !== 'initialize')) {
        const why = `_meta must have "${PROTOCOL_VERSION}"`;
        const refused = { status: 400, code: INVALID_PARAMS, message: why, id: message.id };
        return refuse(reply, { ...refused, ...(headers && { headers }) });
      }
      return this.#sessions.request(message, incoming);
    }
    const ignored = this.#sessions === undefined || this.#statelessIds.has(view.header('mcp-protocol-version') ?? '');
    if (!ignored) return this.#sessions?.tell(message, incoming);
    // Nothing of another request is looked up here: closing its stream is how it is called off.
    if ('method' in message) return reply.send(202, headers ?? {});
    const why = 'Invalid request: nobody was asked anything';
    return refuse(reply, { status: 400, code: INVALID_REQUEST, message: why, ...(headers && { headers }) });
  }

  #batch(values: readonly unknown[], incoming: Incoming): Promise<void> | void {
    if (this.#sessions !== undefined) return this.#sessions.batch(values, incoming);
    const message = 'Invalid request: this revision takes one message at a time';
    return refuse(incoming.reply, { status: 400, code: INVALID_REQUEST, message });
  }

  /** A body that cannot be used is the caller's fault; a store or an authenticator that fails is not, and not its business. */
  failed(view: HttpView, reply: Reply, thrown: unknown): void {
    const headers = this.#guard.cors(view) ?? {};
    if (thrown instanceof BodyFault) {
      const code = thrown.status === 413 ? INVALID_REQUEST : PARSE_ERROR;
      refuse(reply, { status: thrown.status, code, message: thrown.message, headers });
    } else if (thrown instanceof RpcError) {
      refuse(reply, { status: 400, code: thrown.code, message: thrown.message, headers });
    } else
      refuse(reply, {
        status: 503,
        code: INTERNAL_ERROR,
        message: 'Internal error',
        headers: { ...headers, ...later },
      });
  }
}

export const later: HeaderList = { 'Retry-After': '1' };

/** Whether the body is worth reading, and whether there is an answer that the client understands. */
export function readable(
  view: HttpView,
  reply: Reply,
  { accepts, headers }: { accepts: Accepts; headers: HeaderList | undefined },
): boolean {
  const more = headers && { headers };
  if (!accepts.json && !accepts.events) {
    const message = 'Not acceptable: answers are application/json or text/event-stream';
    refuse(reply, { status: 406, code: INVALID_REQUEST, message, ...more });
    return false;
  }
  const fault = bodyFault(view);
  if (fault === undefined) return true;
  refuse(reply, { status: 415, code: INVALID_REQUEST, message: `Unsupported media type: ${fault}`, ...more });
  return false;
}

export function refuseClosing(reply: Reply, headers: HeaderList | undefined): void {
  const message = 'The server is shutting down';
  refuse(reply, { status: 503, code: INTERNAL_ERROR, message, headers: { ...headers, ...later } });
}

function refuseMethod(reply: Reply, allow: string, headers: HeaderList | undefined): void {
  const message = `Method not allowed: this endpoint takes ${allow}`;
  refuse(reply, { status: 405, code: INVALID_REQUEST, message, headers: { ...headers, Allow: allow } });
}
