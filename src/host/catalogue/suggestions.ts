/** Requests completions while the user types: throttled per field, and cached. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Completion, CompletionReference } from '../../model/parts.ts';
import type { Clock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { joinSignals, sleep } from '../../peer/wait.ts';

/** Minimum interval between two requests for one field. */
const INTERVAL_MS = 150;
const CACHE_MS = 30_000;
const MAX_ENTRIES = 200;

export interface TypedText {
  readonly server: string;
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context: JsonObject | undefined;
}

export class Suggestions {
  readonly #clock: Clock;
  readonly #cache: Map<string, { readonly completion: Completion; readonly until: number }> = new Map();
  /** By field: the latest request, and when it is sent. */
  readonly #fields: Map<string, { readonly request: AbortController; readonly sentAt: number }> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns cached completions, or requests them. Cancels the previous request for the same field. */
  async ask(
    { server, ref, argument, context }: TypedText,
    signal: AbortSignal | undefined,
    send: (signal: AbortSignal) => Promise<Completion>,
  ): Promise<Completion> {
    const field = canonicalJson([server, ref, argument.name]);
    const whole = canonicalJson([field, argument.value, context ?? null]);
    const before = this.#fields.get(field);
    before?.request.abort(new McpError('MCP_CANCELLED', { method: 'completion/complete', why: 'the user typed on' }));
    const known = this.#cache.get(whole);
    const now = this.#clock.now();
    if (known !== undefined && known.until > now) return known.completion;
    const request = new AbortController();
    const until = joinSignals(request.signal, signal);
    // One that still waits is replaced: if its interval counted too, fast typing would delay the last request more and more.
    const { sentAt: last = now - INTERVAL_MS } = before ?? {};
    const sentAt = last > now ? last : Math.max(now, last + INTERVAL_MS);
    setNewest(this.#fields, field, { request, sentAt }, MAX_ENTRIES);
    if (sentAt > now) await sleep(this.#clock, sentAt - now, until);
    const completion = await send(until);
    setNewest(this.#cache, whole, { completion, until: this.#clock.now() + CACHE_MS }, MAX_ENTRIES);
    return completion;
  }
}
