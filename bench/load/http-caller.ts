/** A handwritten MCP client over one connection, with or without a session. */
import { type Answer, type Call, initialize, initialized, request, SESSION_ERA, statelessHeaders } from '../wire.ts';
import { HttpConnection, type Reply } from './http-connection.ts';
import { headerIn } from './http-reader.ts';

export interface CallerOptions {
  readonly era: 'session' | 'stateless';
  /** The revision of a server without sessions, where it is not the newest. */
  readonly oldWire?: boolean;
  /** The `Accept` header; some peers answer as JSON only if it names nothing else. */
  readonly accept?: string;
  readonly token?: string | undefined;
}

const BOTH = 'application/json, text/event-stream';

export class HttpCaller implements Disposable {
  readonly #connection: HttpConnection;
  readonly #options: CallerOptions;
  readonly #heads = new Map<string, string>();
  #session: string | undefined;
  #id = 0;

  constructor(connection: HttpConnection, options: CallerOptions) {
    this.#connection = connection;
    this.#options = options;
  }

  static async open(url: string, options: CallerOptions): Promise<HttpCaller> {
    const caller = new HttpCaller(new HttpConnection(new URL(url)), options);
    await caller.connect();
    if (options.era === 'session') await caller.begin();
    return caller;
  }

  connect(): Promise<void> {
    return this.#connection.connect();
  }

  /** Opens a session on the same connection. */
  async begin(): Promise<string> {
    this.#session = undefined;
    this.#heads.clear();
    const opened = await this.#connection.send({ headers: this.#always(), body: initialize });
    this.#session = headerIn(opened.headers, 'mcp-session-id');
    if (opened.status !== 200 || this.#session === undefined || lastOf(opened).error !== undefined)
      throw new Error(`The handshake failed: ${opened.status} ${opened.body}`);
    const ready = await this.#connection.send({ headers: this.#always(), body: initialized });
    if (ready.status !== 202) throw new Error(`The handshake was not finished: ${ready.status} ${ready.body}`);
    return this.#session;
  }

  /** Switches to a session that is already open. */
  enter(session: string): void {
    this.#session = session;
    this.#heads.clear();
  }

  async end(): Promise<void> {
    const { status, body } = await this.#connection.send({ method: 'DELETE', headers: this.#always() });
    if (status < 200 || status > 204) throw new Error(`The session did not end: ${status} ${body}`);
  }

  /** Returns the response; `onReply` gets the whole reply, with its notifications. */
  async call(call: Call, onReply?: (reply: Reply) => void): Promise<Answer> {
    const id = ++this.#id;
    const reply = await this.#connection.sendText(this.#head(call), request(id, call, this.#wire));
    onReply?.(reply);
    const answer = lastOf(reply);
    if (reply.status !== 200 || answer.id !== id || answer.error !== undefined)
      throw new Error(`Wrong answer: ${reply.status} ${reply.body.slice(0, 500)}`);
    return answer;
  }

  /** Sends a request whose response is a stream that stays open. */
  open(call: Call, onText: (text: string) => void): void {
    const body = request(++this.#id, call, this.#wire);
    this.#connection.sendText(this.#head(call), body, onText).catch(() => undefined);
  }

  [Symbol.dispose](): void {
    this.#connection[Symbol.dispose]();
  }

  get #wire(): 'session' | 'stateless' {
    return this.#options.oldWire === true ? 'session' : this.#options.era;
  }

  #head(call: Call): string {
    const key = `${call.method} ${call.name}`;
    const known = this.#heads.get(key);
    if (known !== undefined) return known;
    const headers = this.#wire === 'stateless' ? statelessHeaders(call) : {};
    const head = this.#connection.head('POST', { ...this.#always(), ...headers });
    this.#heads.set(key, head);
    return head;
  }

  #always(): Record<string, string> {
    const version = this.#wire === 'session' ? { 'mcp-protocol-version': SESSION_ERA } : {};
    return {
      'content-type': 'application/json',
      accept: this.#options.accept ?? BOTH,
      ...version,
      ...(this.#options.token === undefined ? {} : { authorization: `Bearer ${this.#options.token}` }),
      ...(this.#session === undefined ? {} : { 'mcp-session-id': this.#session }),
    };
  }
}

/** All messages in a reply, JSON or SSE. */
export function messagesIn({ headers, body }: Reply): Answer[] {
  if (!headerIn(headers, 'content-type')?.startsWith('text/event-stream')) return [parse(body)];
  return eventsIn(body).map(parse);
}

const eventsIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') && line.length > 6 ? [line.slice(6)] : []));

/** The response is the last message, also in a stream. */
function lastOf(reply: Reply): Answer {
  const { headers, body } = reply;
  if (!headerIn(headers, 'content-type')?.startsWith('text/event-stream')) return parse(body);
  return parse(eventsIn(body).at(-1) ?? '');
}

function parse(text: string): Answer {
  try {
    return JSON.parse(text) as Answer; // callers check the members that they read
  } catch {
    throw new Error(`Not JSON: ${text.slice(0, 500)}`);
  }
}
