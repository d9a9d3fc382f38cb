/** Completions while the user types: no request for every letter, nor twice for the same text. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Completion, CompletionReference } from '../../model/parts.ts';
import type { Clock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { joinSignals, sleep } from '../../peer/wait.ts';

/** Between two questions about the same field. */
const PAUSE_MS = 150;
const KEPT_MS = 30_000;
const MAX_KEPT = 200;

export interface TypedText {
  readonly server: string;
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  readonly context: JsonObject | undefined;
}

export class Suggestions {
  readonly #clock: Clock;
  readonly #kept: Map<string, { readonly completion: Completion; readonly until: number }> = new Map();
  /** By field, what was typed last, and when it may be asked about. */
  readonly #fields: Map<string, { readonly turn: AbortController; readonly due: number }> = new Map();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A later request for the same field cancels the earlier one. */
  async ask(
    { server, ref, argument, context }: TypedText,
    signal: AbortSignal | undefined,
    send: (signal: AbortSignal) => Promise<Completion>,
  ): Promise<Completion> {
    const field = canonicalJson([server, ref, argument.name]);
    const whole = canonicalJson([field, argument.value, context ?? null]);
    const before = this.#fields.get(field);
    before?.turn.abort(new McpError('MCP_CANCELLED', { method: 'completion/complete', why: 'the user typed on' }));
    const known = this.#kept.get(whole);
    const now = this.#clock.now();
    if (known !== undefined && known.until > now) return known.completion;
    const turn = new AbortController();
    const until = joinSignals(turn.signal, signal);
    const wait = Math.max(0, (before?.due ?? 0) - now);
    setNewest(this.#fields, field, { turn, due: now + wait + PAUSE_MS }, MAX_KEPT);
    if (wait > 0) await sleep(this.#clock, wait, until);
    const completion = await send(until);
    setNewest(this.#kept, whole, { completion, until: this.#clock.now() + KEPT_MS }, MAX_KEPT);
    return completion;
  }
}
