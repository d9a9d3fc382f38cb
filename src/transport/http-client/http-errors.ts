/** What a status that is not a success means, and the errors that report it. */
import { McpError } from '../../errors.ts';
import { type Id, isFailure, METHOD_NOT_FOUND, type RpcFailure } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import type { HeaderFields } from '../../model/auth.ts';
import { displayUrl, printable } from '../../model/printable.ts';
import { isSecretName, Masks, maskSecrets } from '../../model/secrets.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ResponseHeader } from './wire.ts';

/** A response whose status is not a success. */
export interface ErrorResponse {
  readonly status: number;
  /** As much of the body as was read. */
  readonly text: string;
  readonly header: ResponseHeader;
  /** The headers of the request, so that none of their secrets is quoted. */
  readonly sent: HeaderFields;
}

const QUOTED = 200;
/** Secrets are masked before the text is cut, so that half of one is not left. */
const SEARCHED = 10 * QUOTED;
const QUOTED_CHALLENGE = 500;

/** Text of a server on one line, cut, and without secrets, ours above all. */
function quoteText(text: string, sent: HeaderFields, length: number): string {
  const ours = new Masks();
  for (const [name, value] of Object.entries(sent ?? {}))
    if (isSecretName(name)) ours.add(value.split(' ').at(-1) ?? '');
  return printable(maskSecrets(ours.mask(text.slice(0, SEARCHED))).slice(0, length));
}

/** The body of an error in parentheses; of a web page, its title. */
function quoteBody(text: string, sent: HeaderFields): string {
  const isPage = /^\s*<(?:!doctype )?html\b/i.test(text);
  const [, title = ''] = isPage ? (/<title[^>]*>([^<]*)/i.exec(text) ?? []) : [];
  const body = isPage ? title.replace(/\s+/g, ' ') : (failureIn(text)?.error.message ?? text);
  const quote = quoteText(body.trim(), sent, QUOTED);
  if (isPage) return quote === '' ? ' (an HTML page)' : ` (an HTML page: "${quote}")`;
  return quote === '' ? '' : ` (${quote})`;
}

export function toHttpError({ status, text, header, sent }: ErrorResponse, url: URL, method: string): McpError {
  const details = { url: displayUrl(url), method, status, body: quoteBody(text, sent) };
  if (status < 500 && status !== 429) {
    const guess = status === 404 && url.pathname !== '/mcp' ? `, which is often ${url.origin}/mcp` : '';
    return new McpError('MCP_HTTP_REFUSED', { ...details, guess });
  }
  const after = header('retry-after');
  // A number of seconds, or a date.
  const unit = /^\d+$/.test(after ?? '') ? ' s' : '';
  const advice = after === undefined ? 'try again later' : `try again after ${printable(after.slice(0, 40))}${unit}`;
  return new McpError('MCP_HTTP_FAILED', { ...details, advice });
}

export const unexpectedError = (url: URL, method: string, why: string): McpError =>
  new McpError('MCP_HTTP_UNEXPECTED', { url: displayUrl(url), method, why });

export function unauthorizedError(
  { status, text, sent }: Omit<ErrorResponse, 'header'>,
  url: URL,
  method: string,
  challenge: string | undefined,
  cause: unknown,
): McpError {
  const hadSome = Object.keys(sent ?? {}).some((name) => name.toLowerCase() === 'authorization');
  // Without a challenge, a 403 is not about credentials.
  const advice =
    status === 403 && challenge === undefined
      ? 'check what the server allows: callers, hosts, origins'
      : `${hadSome ? 'it did not accept the credentials that were sent; ' : ''}pass credentials as "headers" or "auth"`;
  const details = {
    url: displayUrl(url),
    method,
    status,
    challenge: challenge === undefined ? 'without WWW-Authenticate' : quoteText(challenge, sent, QUOTED_CHALLENGE),
    body: quoteBody(text, sent),
    advice,
  };
  return new McpError('MCP_UNAUTHORIZED', details, { cause });
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

/**
 * The same where it answers the request. With an id of null, a 5xx answers none, and a 404 is about the URL, unless it
 * says that the method is unknown.
 */
export function answerIn({ status, text }: ErrorResponse, id: Id): RpcFailure | undefined {
  const failure = failureIn(text);
  const isMissing = status === 404 && failure?.error.code !== METHOD_NOT_FOUND;
  return (status >= 500 || isMissing) && failure?.id !== id ? undefined : failure;
}

/** Milliseconds to wait, as `Retry-After` says it: seconds, or a date. */
export function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header.trim() === '' ? Number.NaN : header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.wall() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
