/** Streams that stay open end with the token they were opened with: whoever comes back shows the next one. */
import type { AuthInfo } from '../../model/caller.ts';
import type { Clock } from '../../peer/clock.ts';
import type { EventSink, HeaderList, HttpReply } from './view.ts';

/** By then, no clock calls the token good any more. */
const GRACE_MS = 60_000;
/** What a timer can hold. */
const MAX_MS = 2 ** 31 - 1;

/** Calls back when the token has expired. Returns a function that makes it not to. */
export function onExpiry(auth: AuthInfo | undefined, clock: Clock, run: () => void): () => void {
  if (auth?.expiresAt === undefined) return () => undefined;
  const ms = Math.max(0, auth.expiresAt - clock.wall()) + GRACE_MS;
  return ms > MAX_MS ? () => undefined : clock.after(ms, run, { idle: true });
}

/** A reply whose other side is as good as gone when its token has expired. */
export const expiringReply = (reply: HttpReply, auth: AuthInfo | undefined, clock: Clock): HttpReply =>
  auth?.expiresAt === undefined ? reply : new ExpiringReply(reply, auth, clock);

class ExpiringReply implements HttpReply {
  readonly #reply: HttpReply;
  readonly #auth: AuthInfo;
  readonly #clock: Clock;
  #gone: (() => void)[] = [];

  constructor(reply: HttpReply, auth: AuthInfo, clock: Clock) {
    this.#reply = reply;
    this.#auth = auth;
    this.#clock = clock;
  }

  get commonHeaders(): HeaderList | undefined {
    return this.#reply.commonHeaders;
  }

  send(status: number, headers?: HeaderList): void {
    this.#reply.send(status, headers);
  }

  sendJson(status: number, body: string, headers?: HeaderList): void {
    this.#reply.sendJson(status, body, headers);
  }

  stream(status: number, headers: HeaderList): EventSink {
    const sink = this.#reply.stream(status, headers);
    const stop = onExpiry(this.#auth, this.#clock, () => {
      sink.end();
      for (const listener of this.#gone.splice(0)) listener();
    });
    this.#reply.onGone(stop);
    return new ExpiringSink(sink, stop);
  }

  onGone(listener: () => void): void {
    this.#gone.push(listener);
    this.#reply.onGone(listener);
  }
}

class ExpiringSink implements EventSink {
  readonly #sink: EventSink;
  readonly #stop: () => void;

  constructor(sink: EventSink, stop: () => void) {
    this.#sink = sink;
    this.#stop = stop;
  }

  get queued(): number {
    return this.#sink.queued;
  }

  write(text: string): void {
    this.#sink.write(text);
  }

  end(): void {
    this.#stop();
    this.#sink.end();
  }

  abort(): void {
    this.#stop();
    this.#sink.abort();
  }
}
