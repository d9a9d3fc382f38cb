/** What a status that is no success means, and how it is told. */
import { McpError } from '../../errors.ts';
import { type Failure, isFailure } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import { printable, shown } from '../../model/printable.ts';
import type { Clock } from '../../peer/clock.ts';

/** An answer with a status of 400 or more. */
export interface Refusal {
  readonly status: number;
  /** As much of the body as was read. */
  readonly text: string;
  readonly header: (name: string) => string | undefined;
}

const QUOTED = 200;

export function refused(refusal: Refusal, url: URL, method: string): McpError {
  const { status, text } = refusal;
  const quote = printable(text.trim().slice(0, QUOTED));
  const details = { url: shown(url), method, status, body: quote === '' ? '' : ` (${quote})` };
  if (status < 500 && status !== 429) return new McpError('MCP_HTTP_REFUSED', details);
  const after = refusal.header('retry-after');
  const advice =
    after === undefined ? 'try again later' : `it says when to try again: ${printable(after.slice(0, 40))}`;
  return new McpError('MCP_HTTP_FAILED', { ...details, advice });
}

/** The error in a body, if it is one that JSON-RPC knows. */
export function failureIn(text: string): Failure | undefined {
  try {
    const value = parse(text);
    if (faultOf(value) !== undefined) return undefined;
    const message = asMessage(value);
    return 'error' in message && isFailure(message) ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds to wait, as `Retry-After` says it: seconds, or a date. */
export function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header.trim() === '' ? Number.NaN : header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.wall() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
