/** A stream of messages that is taken up again when it breaks off: from the last event that came, and not too soon. */
import { McpError } from '../../errors.ts';
import { shown } from '../../model/printable.ts';
import { MAX_ATTEMPTS, pauseAfter } from '../../peer/backoff.ts';
import { type Refusal, refused } from './refusal.ts';
import { exchangeHttp, type ReplyHandler } from './reply.ts';
import type { Sender } from './sender.ts';
import type { SseEvent, SseParser } from './sse-parser.ts';

/** Even a server that is in a hurry is not asked more often. */
const SHORTEST_PAUSE_MS = 50;
/** A stream that lasted so long did not fail, even if nothing came. */
const LASTING_MS = 30_000;
const MAX_ID_LENGTH = 1024;

export interface StreamContext {
  readonly sender: Sender;
  /** What it is called in errors. */
  readonly what: string;
  /** Begins without an event to go on from: it belongs to no request. */
  readonly standing: boolean;
  headers(): Readonly<Record<string, string>>;
  /** Whether the revision knows how to take up a stream. */
  resumable(): boolean;
  /** Whether anybody still waits for what it may bring. */
  wanted(): boolean;
  receive(text: string): void;
  /** The server does not know the session any more. False when there was none. */
  lost(): boolean;
  /** It has come to an end that nothing can be done about. */
  gone(error: McpError): void;
}

export class Stream implements ReplyHandler {
  readonly wants = 'stream';
  readonly #context: StreamContext;
  #events: SseParser | undefined;
  #lastId: string | undefined;
  #retry: number | undefined;
  #stop: () => void = () => undefined;
  #openedAt: number | undefined;
  /** Attempts in a row that brought nothing new. */
  #failed = 0;

  constructor(context: StreamContext) {
    this.#context = context;
  }

  /** Asks for it, from where it broke off. */
  open(): void {
    const { sender, what, headers } = this.#context;
    const from: Record<string, string> = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    const accept = { accept: 'text/event-stream' };
    this.#stop = exchangeHttp(sender, { method: 'GET', what, headers: { ...headers(), ...accept, ...from } }, this);
  }

  /** Nothing more is wanted of it. */
  stop(): void {
    this.#stop();
  }

  opened(events: SseParser): void {
    this.#events = events;
    this.#openedAt = this.#context.sender.settings.clock.now();
  }

  event({ type, data }: SseEvent): void {
    this.#note();
    // An event without data only says where the stream can be taken up.
    if (data !== '' && type === 'message') this.#context.receive(data);
  }

  ended(): void {
    this.#cut(new McpError('MCP_CLOSED', { why: 'it ended' }));
  }

  failed(error: McpError): void {
    if (error.kind === 'offline') this.#cut(error);
    else this.#gone(error);
  }

  refused(refusal: Refusal): void {
    const error = refused(refusal, this.#context.sender.settings.url, this.#context.what);
    if (error.kind === 'offline') this.#cut(error);
    else if (refusal.status === 404 && this.#openedAt !== undefined && this.#context.lost()) return;
    else this.#gone(error);
  }

  accepted(): void {
    const { sender, what } = this.#context;
    const why = 'it opened no stream';
    this.#gone(new McpError('MCP_HTTP_UNEXPECTED', { url: shown(sender.settings.url), method: what, why }));
  }

  /** Not reached: only a stream is wanted. */
  json(): void {}

  #cut(error: McpError): void {
    this.#note();
    const { sender, standing, resumable, wanted } = this.#context;
    if (!wanted()) return;
    const { clock } = sender.settings;
    if (this.#openedAt !== undefined && clock.now() - this.#openedAt >= LASTING_MS) this.#failed = 0;
    const possible = standing || (this.#lastId !== undefined && resumable());
    if (!possible || ++this.#failed > MAX_ATTEMPTS) this.#gone(error);
    else
      this.#stop = clock.after(this.#pause(), () => {
        if (wanted()) this.open();
      });
  }

  /** Whatever kept it from being taken up again: what became of the work behind it is not known. */
  #gone(error: McpError): void {
    const why = `the stream of ${this.#context.what} broke off and could not be taken up again (${error.message})`;
    this.#context.gone(error.kind === 'protocol' ? error : new McpError('MCP_CLOSED', { why }, { cause: error }));
  }

  /** Never sooner than the server said; where it said nothing, and after failures, by our own rule. */
  #pause(): number {
    const ours = pauseAfter(this.#failed, this.#context.sender.settings.random());
    if (this.#retry === undefined) return ours;
    return Math.max(this.#retry, this.#failed > 1 ? ours : SHORTEST_PAUSE_MS);
  }

  /** Remembers how far the stream has come. Only that counts as progress. */
  #note(): void {
    const { lastEventId: id, retry } = this.#events ?? {};
    this.#retry = retry ?? this.#retry;
    if (id === undefined || id === this.#lastId) return;
    // An id that no header can carry is of no use.
    this.#lastId = id === '' || !sendable(id) ? undefined : id;
    this.#failed = 0;
  }
}

function sendable(id: string): boolean {
  if (id.length > MAX_ID_LENGTH) return false;
  for (let i = 0; i < id.length; i++) {
    const c = id.charCodeAt(i);
    if (c < 0x20 || c > 0x7e) return false;
  }
  return true;
}
