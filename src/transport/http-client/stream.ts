/** A stream of messages that is taken up again when it breaks off: from the last event that came, and not too soon. */
import { McpError } from '../../errors.ts';
import { displayUrl } from '../../model/printable.ts';
import { backoffMs, MAX_ATTEMPTS } from '../../peer/backoff.ts';
import { type Refusal, toRefusalError } from './refusal.ts';
import { exchangeHttp, type ReplyHandler } from './reply.ts';
import type { Sender } from './sender.ts';
import type { SseEvent, SseParser } from './sse-parser.ts';

/** Even a server that is in a hurry is not asked more often. */
const SHORTEST_PAUSE_MS = 50;
/** So many answers in a row without a message, and a server that is polled no longer sets the pace alone. */
const MAX_EMPTY = 3;
/** It is asked again within four seconds all the same: it may work for long before it has something to say. */
const MAX_QUIET = 2;
/** A stream that lasted so long did not fail, even if nothing came. */
const LASTING_MS = 30_000;
const MAX_ID_LENGTH = 1024;

/** The session that streams belong to. */
export interface StreamChannel {
  readonly sender: Sender;
  /** Those of every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the revision knows how to take up a stream. */
  readonly resumable: boolean;
  readonly hasSession: boolean;
  receive(text: string): void;
  /** The server does not know the session any more. */
  lost(what: string): void;
}

/** Who one stream is for. */
export interface StreamOwner {
  /** What it is called in errors. */
  readonly what: string;
  /** Begins without an event to go on from: it belongs to no request. */
  readonly standing: boolean;
  /** Whether anybody still waits for what it may bring. */
  readonly wanted: boolean;
  /** It has come to an end that nothing can be done about. */
  gone(error: McpError): void;
}

export class EventStreamReader implements ReplyHandler {
  readonly wants = 'stream';
  readonly #channel: StreamChannel;
  readonly #owner: StreamOwner;
  #events: SseParser | undefined;
  #lastId: string | undefined;
  #retry: number | undefined;
  #stop: () => void = () => undefined;
  #openedAt: number | undefined;
  /** Attempts in a row that brought nothing, not even an id. */
  #failed = 0;
  /** Attempts in a row that brought no message. Ids alone cost a server nothing, and must not set the pace. */
  #quiet = 0;

  constructor(channel: StreamChannel, owner: StreamOwner) {
    this.#channel = channel;
    this.#owner = owner;
  }

  /** Asks for it, from where it broke off. */
  open(): void {
    const { sender, headers } = this.#channel;
    const { what } = this.#owner;
    const from: Record<string, string> = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    const accept = { accept: 'text/event-stream' };
    const call = exchangeHttp(sender, { method: 'GET', what, headers: { ...headers, ...accept, ...from } }, this);
    this.#stop = () => call.hangUp();
  }

  /** Nothing more is wanted of it. */
  stop(): void {
    this.#stop();
  }

  opened(events: SseParser): void {
    this.#events = events;
    this.#openedAt = this.#channel.sender.settings.clock.now();
  }

  event({ type, data }: SseEvent): void {
    this.#note();
    // An event without data only says where the stream can be taken up.
    if (data === '' || type !== 'message') return;
    this.#quiet = 0;
    this.#channel.receive(data);
  }

  ended(): void {
    // Almost always everything has been said, and an error is dear.
    if (this.#owner.wanted) this.#cut(new McpError('MCP_CLOSED', { why: 'it ended' }));
  }

  failed(error: McpError): void {
    if (error.kind === 'offline') this.#cut(error);
    else this.#gone(error);
  }

  refused(refusal: Refusal): void {
    const { sender, hasSession } = this.#channel;
    const { what } = this.#owner;
    const error = toRefusalError(refusal, sender.settings.url, what);
    if (error.kind === 'offline') this.#cut(error);
    else if (refusal.status === 404 && this.#openedAt !== undefined && hasSession) this.#channel.lost(what);
    else this.#gone(error);
  }

  accepted(): void {
    const url = displayUrl(this.#channel.sender.settings.url);
    const why = 'it opened no stream';
    this.#gone(new McpError('MCP_HTTP_UNEXPECTED', { url, method: this.#owner.what, why }));
  }

  /** Not reached: only a stream is wanted. */
  json(): void {}

  #cut(error: McpError): void {
    this.#note();
    const { sender, resumable } = this.#channel;
    const owner = this.#owner;
    if (!owner.wanted) return;
    const { clock } = sender.settings;
    if (this.#openedAt !== undefined && clock.now() - this.#openedAt >= LASTING_MS) {
      this.#failed = 0;
      this.#quiet = 0;
    }
    this.#quiet++;
    const possible = owner.standing || (this.#lastId !== undefined && resumable);
    if (!possible || ++this.#failed > MAX_ATTEMPTS) this.#gone(error);
    else
      this.#stop = clock.after(this.#pause(), () => {
        if (owner.wanted) this.open();
      });
  }

  /** Whatever kept it from being taken up again: what became of the work behind it is not known. */
  #gone(error: McpError): void {
    const why = `the stream of ${this.#owner.what} broke off and could not be taken up again (${error.message})`;
    this.#owner.gone(error.kind === 'protocol' ? error : new McpError('MCP_CLOSED', { why }, { cause: error }));
  }

  /** Never sooner than the server said; where it said nothing, and after failures, by our own rule. */
  #pause(): number {
    const ours = backoffMs(
      Math.max(this.#failed, Math.min(this.#quiet, MAX_QUIET)),
      this.#channel.sender.settings.random(),
    );
    if (this.#retry === undefined) return ours;
    return Math.max(this.#retry, this.#failed > 1 || this.#quiet > MAX_EMPTY ? ours : SHORTEST_PAUSE_MS);
  }

  /** Remembers how far the stream has come. */
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
