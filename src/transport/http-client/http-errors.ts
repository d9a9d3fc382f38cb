/** Turns HTTP responses without success, and requests without a usable response, into errors. */
import { McpError } from '../../errors.ts';
import { type Id, METHOD_NOT_FOUND, type RpcFailure } from '../../jsonrpc/message.ts';
import { asMessage, faultOf, parse } from '../../jsonrpc/read.ts';
import type { HeaderFields } from '../../model/auth.ts';
import { parseChallenges } from '../../model/challenge.ts';
import { displayUrl, networkReason, printable } from '../../model/printable.ts';
import { isSecretName, Masks, maskSecrets } from '../../model/secrets.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ResponseHeader } from './wire.ts';

/** A response whose status is not a success. */
export interface ErrorResponse {
  readonly status: number;
  /** The part of the body that was read. */
  readonly text: string;
  readonly header: ResponseHeader;
  /** The headers of the request, whose secrets must not be quoted. */
  readonly sent: HeaderFields;
}

const QUOTED = 200;
/** Secrets are masked in this much text before it is cut, so that no half of a secret remains. */
const SEARCHED = 10 * QUOTED;
const QUOTED_CHALLENGE = 500;

/** Quotes text of a server: on one line, cut, and with secrets masked, first of all those that we sent. */
function quoteText(text: string, sent: HeaderFields, length: number): string {
  const ours = new Masks();
  for (const [name, value] of Object.entries(sent ?? {}))
    if (isSecretName(name)) for (const secret of secretsIn(value)) ours.add(secret);
  return printable(maskSecrets(ours.mask(text.slice(0, SEARCHED))).slice(0, length));
}

/** The secrets in a header: the words after a scheme such as `Bearer`, and of cookies also their values alone. */
function secretsIn(header: string): readonly string[] {
  const [first = '', ...rest] = header.split(/[\s;,"]+/);
  const words = rest.length > 0 && /^\w+$/.test(first) ? rest : [first, ...rest];
  return words.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
}

/** Quotes the body of an error in parentheses: the message of a JSON-RPC error, the title of a web page, or the text. */
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
  return new McpError('MCP_HTTP_FAILED', { ...details, advice: retryAdvice(header('retry-after')) });
}

/** `Retry-After` is a number of seconds or a date. */
function retryAdvice(after: string | undefined): string {
  if (after === undefined || after === '') return 'try again later';
  return `try again after ${printable(after.slice(0, 40))}${/\D/.test(after) ? '' : ' s'}`;
}

export const unexpectedError = (url: URL, method: string, why: string): McpError =>
  new McpError('MCP_HTTP_UNEXPECTED', { url: displayUrl(url), method, why });

export const malformedError = (method: string, why: string, cause: unknown): McpError =>
  new McpError('MCP_BAD_RESULT', { method, why }, { cause });

/** The network failed. Once a request was sent, the server may have handled it. */
export function networkError(at: URL, method: string, cause: unknown, isSent: boolean): McpError {
  const [url, why] = [displayUrl(at), networkReason(cause)];
  return isSent
    ? new McpError('MCP_CLOSED', { why: `${url} broke off during ${method}: ${why}` }, { cause })
    : new McpError('MCP_UNREACHABLE', { url, why }, { cause });
}

/** The application's credential provider threw. */
export const providerError = (url: URL, cause: unknown): McpError => {
  const why = maskSecrets(networkReason(cause));
  return new McpError('MCP_AUTH_FAILED', { url: displayUrl(url), step: 'the credentials', why }, { cause });
};

export function unauthorizedError(
  { status, text, sent }: Omit<ErrorResponse, 'header'>,
  url: URL,
  method: string,
  challenge: string | undefined,
): McpError {
  const advice =
    // Without a challenge, a 403 is not about credentials.
    status === 403 && challenge === undefined
      ? 'check what the server allows: callers, hosts, origins'
      : credentialsAdvice(authorizationOf(sent), challenge ?? '', sent);
  const details = {
    url: displayUrl(url),
    method,
    status,
    challenge: challenge === undefined ? 'without WWW-Authenticate' : quoteText(challenge, sent, QUOTED_CHALLENGE),
    body: quoteBody(text, sent),
    advice,
  };
  return new McpError('MCP_UNAUTHORIZED', details);
}

const authorizationOf = (sent: HeaderFields): string | undefined =>
  Object.entries(sent ?? {}).find(([name]) => name.toLowerCase() === 'authorization')?.[1];

function credentialsAdvice(authorization: string | undefined, challenge: string, sent: HeaderFields): string {
  const pass = 'pass credentials as "headers" or "auth"';
  if (authorization === undefined) return pass;
  const scopes = neededScopes(challenge);
  if (scopes !== undefined) {
    const needed = scopes.length === 0 ? '' : ` (needed: ${quoteText(scopes.join(', '), sent, QUOTED)})`;
    return `the credentials that were sent are valid, but lack a scope${needed}; get a token that has it`;
  }
  if (!/\s/.test(authorization.trim()))
    return 'the Authorization header that was sent has no scheme; write it as "Bearer <token>"';
  return `it did not accept the credentials that were sent; ${pass}`;
}

/** All scopes that the request needs, if the challenge says that the token lacks some of them. */
function neededScopes(challenge: string): readonly string[] | undefined {
  const found = parseChallenges(challenge).find(({ params }) => params.get('error') === 'insufficient_scope');
  return found && (found.params.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
}

/** The JSON-RPC error in a body; undefined if it contains none. */
export function failureIn(text: string): RpcFailure | undefined {
  try {
    const value = parse(text);
    if (faultOf(value) !== undefined) return undefined;
    const message = asMessage(value);
    return 'error' in message ? message : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The JSON-RPC error in a response, if it answers the request `id`. With another id or none, a 5xx is not about the request, and a
 * 404 is about the URL, unless its code is "method not found".
 */
export function answerIn({ status, text }: ErrorResponse, id: Id): RpcFailure | undefined {
  const failure = failureIn(text);
  const isMissing = status === 404 && failure?.error.code !== METHOD_NOT_FOUND;
  return (status >= 500 || isMissing) && failure?.id !== id ? undefined : failure;
}

/** The delay that `Retry-After` asks for, in milliseconds. The header contains seconds or a date. */
export function retryAfter(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const seconds = Number(header.trim() === '' ? Number.NaN : header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - clock.wall() : seconds * 1000;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
