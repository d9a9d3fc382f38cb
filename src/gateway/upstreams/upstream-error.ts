/** Failures of an upstream, worded for callers and for operators. */
import { type ErrorCode, fillText, type McpError } from '../../errors.ts';
import { cutText } from '../../model/cut-text.ts';
import { printable } from '../../model/printable.ts';

/** `not-sent`: the upstream never processed the request. `unknown`: it may have taken effect. */
export type UpstreamOutcome = 'not-sent' | 'unknown';

/** For `isolate: session`. */
export const SESSION_LOST =
  'lost its session, and what it kept for this caller is gone: the next call begins another one';

/** After a reload removed the upstream. */
export const NO_LONGER_SERVED = 'is no longer served';

export interface UpstreamErrorOptions extends ErrorOptions {
  readonly retryAfterMs?: number;
}

export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly label: string;
  readonly outcome: UpstreamOutcome;

  /** When a retry can succeed, if known. */
  readonly retryAfterMs: number | undefined;

  constructor(label: string, outcome: UpstreamOutcome, why: string, options: UpstreamErrorOptions = {}) {
    super(`The server ${label} ${why}`, options);
    this.retryAfterMs = options.retryAfterMs;
    this.label = label;
    this.outcome = outcome;
  }
}

/** What the upstream sent instead of a valid response. Callers must not learn its URL. */
const sentInstead: Partial<Record<ErrorCode, string>> = {
  MCP_BAD_RESULT: '{why}',
  MCP_HTTP_FAILED: 'status {status}',
  MCP_HTTP_REDIRECT: 'a redirect',
  MCP_HTTP_REFUSED: 'status {status}',
  MCP_HTTP_UNEXPECTED: '{why}',
  MCP_TOO_LARGE: 'more than {limit} bytes',
  MCP_UNAUTHORIZED: 'status {status}',
  MCP_UNKNOWN_RESULT_TYPE: 'the unknown resultType "{type}"',
};
const MAX_SHOWN = 300;

/** The reason that callers see. */
export function unusableAnswer({ code, details }: McpError, method: string): string {
  const sent = sentInstead[code];
  const advice = code === 'MCP_OUTCOME_UNKNOWN' ? '. Check whether it took effect before you repeat it' : '';
  if (sent === undefined) return `did not answer ${method} (${code})${advice}`;
  const shown = cutText(printable(fillText(sent, details)), MAX_SHOWN);
  return `sent an unusable response to ${method}: ${shown} (${code})`;
}

/** Settings of the client, and their names in a gateway. */
const settings: readonly (readonly [setting: RegExp, here: string])[] = [
  [/\btimeoutMs\b/, 'timeouts.callMs'],
  [/\bmaxTimeoutMs\b/, 'timeouts.maxCallMs'],
  [/\bconnectTimeoutMs\b/, 'timeouts.connectMs'],
  [/\(max(?:Answer|Line|Unread)Bytes\)/, '(a fixed limit)'],
  [/\. Raise limits\.max(?:Pages|Items)/, ' (a fixed limit)'],
];

/** The reason that operators see. */
export const withOwnSettings = (text: string): string =>
  settings.reduce((all, [setting, here]) => all.replace(setting, here), text);
