/** The streams of one session: one for each POST that needs it, and the GET stream ("standing") for messages outside requests. */
import { RpcError } from '../../errors.ts';
import { failure, type Id, INTERNAL_ERROR, type Message } from '../../jsonrpc/message.ts';
import { toBase64Url } from '../../model/base64.ts';
import { callHook } from '../../peer/call-hook.ts';
import type { KeepAlive } from '../../peer/keep-alive.ts';
import type { HttpRules } from '../../revisions/contract.ts';
import { EventStream, formatEvent, type Journal, type StreamConnection, writeMissed } from './event-stream.ts';
import type { HttpSettings } from './http-settings.ts';
import type { EventSink } from './view.ts';

interface StreamsContext {
  readonly settings: HttpSettings;
  readonly keepAlive: KeepAlive;
  rules(): HttpRules | undefined;
}

/** Maximum number of messages held for a client that has no standing stream open. */
const MAX_HELD = 1_000;
/** The names of standing streams have their own prefix, because any of them is resumed as the current one. */
const STANDING = 'n';
const POST = 'p';

/** A random name, unique among all processes. */
export const randomName = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(9)));

export class SessionStreams {
  readonly #session: string;
  readonly #context: StreamsContext;
  readonly #posts: Map<string, EventStream> = new Map();
  #standing: { readonly name: string; readonly stream: EventStream } | undefined;

  constructor(session: string, context: StreamsContext) {
    this.#session = session;
    this.#context = context;
  }

  /** Whether the client has any stream open. */
  get connected(): boolean {
    return [this.#standing?.stream, ...this.#posts.values()].some((stream) => stream?.connected === true);
  }

  /** Creates the stream of a POST. Until it ends, a client can resume it, if its revision has that. */
  post(answers?: Id | readonly Id[]): EventStream {
    const name = POST + randomName();
    const stream = this.#make(name, { onEnd: () => this.#posts.delete(name) });
    this.#posts.set(name, stream);
    if (this.#context.rules()?.resumable !== true) return stream;
    const { eventLog: log, onStoreError } = this.#context.settings;
    if (answers !== undefined)
      callHook(
        () => log.claim?.(this.#key(name), [answers].flat()),
        (thrown) => onStoreError(thrown, 'put'),
      );
    return stream;
  }

  /** Sends a message outside requests. It is held until the client connects. */
  send(message: Message): void {
    this.#current().stream.send(JSON.stringify(message));
  }

  /** Opens the standing stream. There is one per session, so an older connection ends. */
  open(connection: StreamConnection): void {
    this.#current().stream.open(connection);
  }

  /** Sends the events after `eventId`, then continues their stream. Resolves with false if some are lost. */
  async resume(eventId: string, connection: StreamConnection): Promise<boolean> {
    const [, name = '', digits = ''] = /^([np][\w-]{12})\.(\d{1,15})$/.exec(eventId) ?? [];
    if (name === '') return false;
    const after = Number(digits);
    const live = this.#standing?.name === name ? this.#standing.stream : this.#posts.get(name);
    if (live !== undefined && (await live.resume(after, connection))) return true;
    const standing = name.startsWith(STANDING);
    const { eventLog: log, retryMs, maxQueueBytes } = this.#context.settings;
    const missed = live === undefined ? await log.read(this.#key(name), after) : undefined;
    if (missed === undefined && !standing) return false;
    const sink = connection.reply.stream(connection.headers);
    if (!writeMissed(sink, missed ?? [], name, maxQueueBytes)) return true;
    if (standing) this.#current().stream.open(connection, sink);
    else {
      const { seq, last } = missed?.at(-1) ?? { seq: after };
      // Another process can still be writing the stream: the client reconnects for the rest.
      if (last !== true && !(await this.#endOrphan(name, seq, sink))) sink.write(`retry: ${retryMs}\n\n`);
      sink.end();
    }
    return true;
  }

  /** Ends the stream of a process that is gone, for this client and in the log. Resolves with false if the process can be alive. */
  async #endOrphan(name: string, seq: number, sink: EventSink): Promise<boolean> {
    const { eventLog: log } = this.#context.settings;
    const requests = (await log.orphaned?.(this.#key(name))) ?? [];
    for (const [i, id] of requests.entries()) {
      const lost = new RpcError(
        INTERNAL_ERROR,
        'The process that served this request has ended, and its outcome is unknown',
      );
      const data = JSON.stringify(failure(id, lost));
      const event = { seq: seq + 1 + i, data, last: i === requests.length - 1 };
      await log.append(this.#key(name), event);
      sink.write(formatEvent(event, name));
    }
    return requests.length > 0;
  }

  /** Closes every connection. Resumable streams send a retry delay first. */
  end(): void {
    const { settings } = this.#context;
    const resumable = this.#context.rules()?.resumable === true;
    for (const stream of [this.#standing?.stream, ...this.#posts.values()]) {
      if (resumable) stream?.release(settings.retryMs);
      else stream?.end();
    }
  }

  #current(): { readonly name: string; readonly stream: EventStream } {
    if (this.#standing === undefined) {
      const name = STANDING + randomName();
      this.#standing = { name, stream: this.#make(name, { holds: MAX_HELD }) };
    }
    return this.#standing;
  }

  #make(name: string, more: { holds?: number; onEnd?: () => void }): EventStream {
    const { settings, keepAlive } = this.#context;
    return new EventStream({ keepAlive, maxQueueBytes: settings.maxQueueBytes, journal: this.#journal(name), ...more });
  }

  #journal(name: string): Journal | undefined {
    const rules = this.#context.rules();
    if (rules?.resumable !== true) return undefined;
    const { eventLog: log, retryMs, onStoreError } = this.#context.settings;
    const onFailed = (thrown: unknown): void => onStoreError(thrown, 'append');
    return { log, onFailed, name, key: this.#key(name), primingMs: rules.polling ? retryMs : undefined };
  }

  #key(name: string): string {
    return `${this.#session}/${name}`;
  }
}
