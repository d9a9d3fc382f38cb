/**
 * The errors that are the whole response to an HTTP request. They are thrown anywhere and sent in one place; the reply adds the
 * CORS headers, so that no rejection can lack them.
 */
import { type Blanks, fillText, RpcError } from '../../errors.ts';
import { failure, type Id, INTERNAL_ERROR, INVALID_REQUEST, isObject } from '../../jsonrpc/message.ts';
import { readableId } from '../../jsonrpc/read.ts';
import { printable } from '../../model/printable.ts';
import type { HeaderList, HttpReply } from './view.ts';

/** Status and text of each rejection, and its JSON-RPC code if the status does not determine it. */
export const rejections = {
  target: { status: 400, text: 'Bad request: the target must be a path, or a URL with the host of the Host header' },
  path: { status: 404, text: 'Not found: MCP is served at {path}' },
  host: {
    status: 403,
    text: 'Forbidden: the Host {came} is not served here; add it to allowedHosts (gateway file: listen.hosts)',
  },
  origin: {
    status: 403,
    text: 'Forbidden: the Origin {came} is not allowed; add it to allowedOrigins (gateway file: listen.origins)',
  },
  method: { status: 405, text: 'Method not allowed: this endpoint takes {allow}' },
  documentMethod: { status: 405, text: 'Method not allowed: this document supports GET only' },
  noSession: {
    status: 405,
    text: 'Method not allowed: GET and DELETE need a session, and Mcp-Session-Id is missing',
  },
  // The authenticator decides the status.
  credentials: { status: 401, text: 'Not authorized' },
  scopes: { status: 403, text: 'Not authorized' },
  unverified: {
    status: 403,
    text: 'Forbidden: this needs the scopes {scopes}, and callers are not verified here (auth)',
  },
  accept: { status: 406, text: 'Not acceptable: answers are application/json or text/event-stream' },
  acceptStream: { status: 406, text: 'Not acceptable: the answer is text/event-stream' },
  mediaType: { status: 415, text: 'Unsupported media type: {fault}' },
  bodySize: { status: 413, text: 'A request body holds at most {limit} bytes (maxBodyBytes)' },
  bodyText: { status: 400, code: -32700, text: 'Parse error: {fault}' },
  message: { status: 400, text: 'Invalid request: {fault}' },
  batch: { status: 400, text: 'Invalid request: {fault}' },
  noBatches: { status: 400, text: 'Invalid request: this revision takes one message at a time' },
  nothingAsked: { status: 400, text: 'Invalid request: a response to no request of the server' },
  noVersion: { status: 400, code: -32602, text: '_meta must have "{key}"' },
  // The revision decides the code.
  request: { status: 400, text: '{fault}' },
  sessionMissing: { status: 400, text: 'Bad request: Mcp-Session-Id is missing; initialize opens a session' },
  sessionUnknown: { status: 404, text: 'Session not found: initialize opens another' },
  version: { status: 400, text: 'Bad request: MCP-Protocol-Version {version} is not supported here' },
  lastEventId: { status: 400, text: 'Bad request: the events after this Last-Event-ID are no longer stored' },
  sseSession: {
    status: 404,
    text: 'Session not found: GET {path} opens one, and its first event names the URL to post to{endpoint}',
  },
  closing: { status: 503, text: 'The server is shutting down' },
  maxCalls: { status: 429, text: 'Too many requests at once: {limit} are open (maxCalls)' },
  maxCallsPerSession: {
    status: 429,
    text: 'Too many requests at once: {limit} are open in this session (maxCallsPerSession)',
  },
  maxSessions: { status: 429, text: 'Too many sessions: {limit} are open (maxSessions)' },
  maxSessionsPerCaller: { status: 429, text: 'Too many sessions: {limit} of yours are in use (maxSessionsPerCaller)' },
  maxListenersPerCaller: {
    status: 429,
    text: 'Too many subscriptions: {limit} of yours are open (maxListenersPerCaller)',
  },
  // A store or an authenticator failed; its error is not sent.
  internal: { status: 503, text: 'Internal error' },
} as const;

export type RejectionName = keyof typeof rejections;
type RejectionDetails<N extends RejectionName> = Readonly<
  Record<Blanks<(typeof rejections)[N]['text']>, string | number>
>;

interface RejectionOverrides {
  readonly headers?: HeaderList;
  /** Replaces the status of the table, as does `code` the code. */
  readonly status?: number;
  readonly code?: number;
}

export class HttpRejection<N extends RejectionName = RejectionName> extends Error {
  override readonly name = 'HttpRejection';
  readonly more: RejectionOverrides;
  readonly status: number;
  readonly code: number;

  constructor(which: N, details: RejectionDetails<N>, more: RejectionOverrides = {}) {
    const { status, text, code }: { status: number; text: string; code?: number } = rejections[which];
    super(fillText(text, details));
    this.more = more;
    this.status = more.status ?? status;
    this.code = more.code ?? code ?? (isForLater(status) ? INTERNAL_ERROR : INVALID_REQUEST);
  }
}

/** Whether the same request can succeed later. */
const isForLater = (status: number): boolean => status === 429 || status === 503;

/** Quotes a header in an error: cut, and with control characters escaped. */
export const quoteHeader = (value: string | undefined): string => `"${printable((value ?? '').slice(0, MAX_SHOWN))}"`;
const MAX_SHOWN = 100;

export const wrongMethod = (allow: string): HttpRejection =>
  new HttpRejection('method', { allow }, { headers: { Allow: allow } });

/** Sends an error as the whole response. `sent` is the body of the request, if it was read; its id is repeated. */
export function sendRejection(reply: HttpReply, thrown: unknown, sent?: unknown): void {
  const { status, code, message, more } = asRejection(thrown);
  const body = JSON.stringify(failure(idToAnswer(sent), new RpcError(code, message)));
  reply.sendJson(status, body, isForLater(status) ? { 'Retry-After': '1' } : more.headers);
}

/** The id of the response. Undefined if the client sent a response itself: its id is that of a request of ours. */
const idToAnswer = (sent: unknown): Id | undefined =>
  isObject(sent) && !('method' in sent) && ('result' in sent || 'error' in sent) ? undefined : readableId(sent);

function asRejection(thrown: unknown): HttpRejection {
  if (thrown instanceof HttpRejection) return thrown;
  // `parse` throws an RpcError for a body that is not JSON.
  if (thrown instanceof RpcError) return new HttpRejection('request', { fault: thrown.message }, { code: thrown.code });
  return new HttpRejection('internal', {});
}
