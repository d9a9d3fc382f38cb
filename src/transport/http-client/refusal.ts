/** What a status that is no success means, and how it is told. */
import { McpError } from '../../errors.ts';
import { type Id, isFailure, type RpcFailure } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import type { HeaderFields } from '../../model/auth.ts';
import { displayUrl, printable } from '../../model/printable.ts';
import { isSecretName, Masks, maskSecrets } from '../../model/secrets.ts';
import type { Clock } from '../../peer/clock.ts';

/** An answer with a status of 400 or more. */
export interface Refusal {
  readonly status: number;
  /** As much of the body as was read. */
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

const QUOTED = 200;
/** A refusal is told after so long, whether or not its reason has come. */
const REASON_MS = 1_000;
/** Looked at for secrets before it is cut, so that half of one is not left. */
const SEARCHED = 10 * QUOTED;

/** What a server said about its refusal, in parentheses: on one line, not for long, and without secrets, ours above all. */
export function quoteBody(text: string, sent: HeaderFields = {}): string {
  const said = (failureIn(text)?.error.message ?? text.trim()).slice(0, SEARCHED);
  const ours = new Masks();
  for (const [name, value] of Object.entries(sent)) if (isSecretName(name)) ours.add(value.split(' ').at(-1) ?? '');
  const quote = printable(maskSecrets(ours.mask(said)).slice(0, QUOTED));
  return quote === '' ? '' : ` (${quote})`;
}

export function toRefusalError(refusal: Refusal, url: URL, method: string): McpError {
  const { status, text } = refusal;
  const details = { url: displayUrl(url), method, status, body: quoteBody(text) };
  if (status < 500 && status !== 429) return new McpError('MCP_HTTP_REFUSED', details);
  const after = refusal.header('retry-after');
  const advice =
    after === undefined ? 'try again later' : `it says when to try again: ${printable(after.slice(0, 40))}`;
  return new McpError('MCP_HTTP_FAILED', { ...details, advice });
}

/** The error in a body, if it is one that JSON-RPC knows. */
export function failureIn(text: string): RpcFailure | undefined {
  try {
    const value = parse(text);
    if (faultOf(value) !== undefined) return undefined;
    const message = asMessage(value);
    return 'error' in message && isFailure(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The same where it answers the request. A server in trouble says with id null that it answered none. */
export function answerIn({ status, text }: Refusal, id: Id): RpcFailure | undefined {
  const failure = failureIn(text);
  return status >= 500 && failure?.id !== id ? undefined : failure;
}

/** Milliseconds to wait, as `Retry-After` says it: seconds, or a date. */
export function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header.trim() === '' ? Number.NaN : header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.wall() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** What comes with a refusal, as it comes: so much, and not waited for very long. */
export class RefusalReason {
  readonly #decoder: TextDecoder = new TextDecoder();
  text = '';
  #done: (() => void) | undefined;
  #isOver = false;

  add(chunk: Uint8Array): void {
    if (this.text.length < SEARCHED) this.text += this.#decoder.decode(chunk, { stream: true });
    if (this.text.length >= SEARCHED) this.end();
  }

  end(): void {
    this.#isOver = true;
    this.#done?.();
  }

  /** Calls back when everything is there that will be. */
  whole(clock: Clock, run: () => void): void {
    const stop = this.#isOver ? undefined : clock.after(REASON_MS, run);
    this.#done = () => {
      stop?.();
      run();
    };
    if (this.#isOver) this.#done();
  }
}
