/**
 * One HTTP request and its response: adds credentials, answers challenges, follows redirects within the origin, retries after
 * `Retry-After`, and limits the size of the response.
 */
import { McpError } from '../../errors.ts';
import type { HeaderFields, OutgoingRequest } from '../../model/auth.ts';
import { CollectedBytes } from '../../model/collected-bytes.ts';
import { mediaType } from '../../model/media-type.ts';
import { displayUrl, printable } from '../../model/printable.ts';
import { isRedirect } from '../../model/redirects.ts';
import { EventDecoder } from './event-decoder.ts';
import {
  malformedError,
  networkError,
  providerError,
  retryAfter,
  unauthorizedError,
  unexpectedError,
} from './http-errors.ts';
import type { HttpClientSettings } from './options.ts';
import type { OutgoingHttpRequest, ResponseHandler } from './outgoing-http-request.ts';
import { redirectTarget } from './redirect-target.ts';
import { SseParser } from './sse-parser.ts';
import type { ResponseHeader, Wire, WireCall, WireReceiver } from './wire.ts';

/** Maximum number of credential renewals for one request: a sign-in, the nonce of a DPoP proof, and more scopes. */
const MAX_CHALLENGES = 3;
const MAX_WAITS = 3;
const MAX_WAIT_MS = 60_000;
/** Maximum number of bytes that are read of the body of an error. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Shared, because it decodes only whole texts and so keeps no state between them. */
const utf8 = new TextDecoder('utf-8', { fatal: true });
/** How long a 401 or 403 waits for its body before it is reported. */
const CHALLENGE_BODY_MS = 1_000;

/** What all requests of one connection share. */
export interface HttpSending {
  readonly wire: Wire;
  readonly settings: HttpClientSettings;
  /** Requests that wait for credentials, which can take a user minutes, or for the time of a `Retry-After`. */
  readonly waiting: Set<HttpExchange>;
}

export class HttpExchange implements WireReceiver, WireCall {
  readonly #wire: Wire;
  readonly #settings: HttpClientSettings;
  readonly #waiting: Set<HttpExchange>;
  readonly #request: OutgoingHttpRequest;
  readonly #handler: ResponseHandler;
  #url: URL;
  #call: WireCall | undefined;
  #credentials: HeaderFields;
  #authAbort: AbortController | undefined;
  #redirects = 0;
  #challenges = 0;
  #waits = 0;
  #isOver = false;
  /** How the body is read; undefined before the head has arrived. */
  #body: 'json' | 'events' | 'error' | 'ignored' | undefined;
  #bytes: CollectedBytes | undefined;
  #events: SseParser | undefined;
  #decoder: EventDecoder | undefined;
  /** Called when the body of an error has been read as far as possible. */
  #onErrorRead: (() => void) | undefined;

  constructor(sending: HttpSending, request: OutgoingHttpRequest, handler: ResponseHandler) {
    const { wire, settings, waiting } = sending;
    this.#wire = wire;
    this.#settings = settings;
    this.#waiting = waiting;
    this.#request = request;
    this.#handler = handler;
    this.#url = request.url ?? settings.url;
  }

  start(): void {
    const { auth } = this.#settings;
    if (auth === undefined) this.#send(undefined);
    else
      this.#whenAuthorized(
        async () => auth.headers(this.#describe()),
        (fields) => this.#send(fields),
      );
  }

  abort(): void {
    this.#isOver = true;
    this.#waiting.delete(this);
    this.#authAbort?.abort();
    this.#call?.abort();
  }

  /** The connection was closed while this request waits. */
  stopWaiting(reason: McpError): void {
    this.#waiting.delete(this);
    this.#authAbort?.abort();
    this.#stop(reason);
  }

  head(status: number, header: ResponseHeader): void {
    if (isRedirect(status)) this.#redirect(status, header('location'));
    else if (status === 401 || status === 403) this.#answerChallenge(status, header);
    else if ((status === 429 || status === 503) && this.#retryLater(header('retry-after'))) return;
    else {
      this.#settings.auth?.onResponse?.(this.#describe(), header);
      if (status < 300) this.#readBody(status, header);
      else {
        this.#body = 'error';
        this.#onErrorRead = () => {
          this.#isOver = true;
          this.#handler.rejected({ status, header, text: this.#errorText(), sent: this.#sentHeaders() });
        };
      }
    }
  }

  data(chunk: Uint8Array): void {
    if (this.#isOver) return;
    if (this.#body === 'events') this.#feed(chunk);
    else {
      this.#bytes ??= new CollectedBytes();
      this.#bytes.add(chunk);
      if (this.#bytes.size > (this.#body === 'json' ? this.#settings.maxAnswerBytes : MAX_ERROR_BYTES))
        this.#stopReading();
    }
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#body === 'error') this.#onErrorRead?.();
    else {
      this.#isOver = true;
      if (this.#body === 'events') this.#handler.ended?.();
      else if (this.#body === 'json') this.#json();
    }
  }

  fail(error: unknown, sent: boolean): void {
    if (this.#isOver || this.#body === 'ignored') return;
    // The status of an error counts even if its body is incomplete.
    if (this.#body === 'error') this.#onErrorRead?.();
    else this.#fail(networkError(this.#url, this.#request.operation, error, sent));
  }

  #describe(): OutgoingRequest {
    const { method, operation } = this.#request;
    this.#authAbort ??= new AbortController();
    return { method, url: this.#url, operation, signal: this.#authAbort.signal };
  }

  #send(fields: HeaderFields): void {
    const { method, headers: own, body } = this.#request;
    this.#credentials = fields;
    this.#settings.credentials?.use(fields);
    const headers = fields === undefined ? own : Object.assign({}, own, fields);
    this.#call = this.#wire.send({ method, url: this.#url, headers, body }, this);
  }

  #readBody(status: number, header: ResponseHeader): void {
    const { expects, operation } = this.#request;
    this.#handler.succeeded?.(header);
    const isEmpty = expects === 'nothing' || status === 202 || status === 204;
    const type = isEmpty ? '' : mediaType(header('content-type'));
    if (type === 'application/json' && expects === 'answer') this.#body = 'json';
    else if (type === 'text/event-stream') this.#openStream();
    else if (isEmpty) {
      this.#body = 'ignored';
      this.#handler.accepted();
    } else {
      const got = type === '' ? 'without a Content-Type' : `as ${type}`;
      const wanted = expects === 'stream' ? 'text/event-stream' : 'application/json or text/event-stream';
      this.#stop(unexpectedError(this.#url, operation, `it answered ${got}, expected ${wanted}`));
    }
  }

  #openStream(): void {
    this.#body = 'events';
    this.#events = new SseParser((event) => this.#handler.event?.(event), this.#settings.maxAnswerBytes);
    this.#handler.opened?.(this.#events);
  }

  #feed(chunk: Uint8Array): void {
    try {
      this.#decoder ??= new EventDecoder();
      this.#events?.push(this.#decoder.decode(chunk));
    } catch (error) {
      this.#stop(
        error instanceof McpError ? error : malformedError(this.#request.operation, 'its stream cannot be read', error),
      );
    }
  }

  #json(): void {
    let text: string;
    try {
      text = utf8.decode(this.#bytes?.bytes);
    } catch (error) {
      this.#handler.failed(malformedError(this.#request.operation, 'it is not UTF-8', error));
      return;
    }
    this.#handler.json?.(text);
  }

  /** The body is too large: fails, or reports an error with what was read. */
  #stopReading(): void {
    const { operation } = this.#request;
    if (this.#body === 'json') {
      const what = `The answer of ${displayUrl(this.#url)} to ${operation}`;
      const limit = this.#settings.maxAnswerBytes;
      this.#stop(new McpError('MCP_TOO_LARGE', { what, limit, setting: 'maxAnswerBytes' }));
    } else {
      this.#call?.abort();
      if (this.#body === 'error') this.#onErrorRead?.();
    }
  }

  #redirect(status: number, location: string | undefined): void {
    const { method, operation } = this.#request;
    const from = this.#url;
    const { to, why } = redirectTarget({ status, location, from, method, count: ++this.#redirects });
    this.#call?.abort();
    if (to === undefined || why !== undefined) {
      const where = to === undefined ? (location ?? 'nowhere') : displayUrl(to);
      const details = { url: displayUrl(from), method: operation, to: printable(where.slice(0, 200)), why: why ?? '' };
      this.#fail(new McpError('MCP_HTTP_REDIRECT', details));
      return;
    }
    this.#url = to;
    this.start();
  }

  /** Renews credentials while the body of the challenge arrives. Without new credentials, the body is quoted in the error. */
  #answerChallenge(status: number, header: ResponseHeader): void {
    const { auth, clock } = this.#settings;
    this.#body = 'error';
    const reject = (): void => {
      this.#call?.abort();
      this.#fail(this.#unauthorized(status, header('www-authenticate')));
    };
    if (auth === undefined || ++this.#challenges > MAX_CHALLENGES) {
      const stop = clock.after(CHALLENGE_BODY_MS, reject);
      this.#onErrorRead = () => {
        stop();
        reject();
      };
      return;
    }
    const { headers, offers } = this.#request;
    const revision = headers['mcp-protocol-version'] ?? offers;
    const challenge = { ...this.#describe(), status, header, sent: this.#credentials, revision };
    this.#whenAuthorized(
      async () => auth.onChallenge(challenge),
      (canRetry) => (canRetry ? this.#restart() : reject()),
    );
  }

  #restart(): void {
    this.#call?.abort();
    this.#body = undefined;
    this.#bytes = undefined;
    this.#onErrorRead = undefined;
    this.start();
  }

  /** Asks the credential provider, while deadlines are paused. Fails the request with what the provider throws. */
  #whenAuthorized<T>(ask: () => Promise<T>, then: (answer: T) => void): void {
    this.#waiting.add(this);
    this.#settings.pause.during(ask()).then(
      (answer) => {
        this.#waiting.delete(this);
        if (!this.#isOver) then(answer);
      },
      (error: unknown) => {
        this.#waiting.delete(this);
        this.#call?.abort();
        this.#fail(error instanceof McpError ? error : providerError(this.#url, error));
      },
    );
  }

  #unauthorized(status: number, challenge: string | undefined): McpError {
    const response = { status, text: this.#errorText(), sent: this.#sentHeaders() };
    return unauthorizedError(response, this.#url, this.#request.operation, challenge);
  }

  #sentHeaders(): HeaderFields {
    return { ...this.#request.headers, ...this.#credentials };
  }

  /** The body of an error, as far as it was read. */
  #errorText(): string {
    return new TextDecoder().decode(this.#bytes?.bytes);
  }

  /** Schedules a retry. Returns false if the request must not be repeated, or if the wait would be too long. */
  #retryLater(after: string | undefined): boolean {
    const { clock } = this.#settings;
    const ms = retryAfter(after, clock);
    const isTooLong = ms === undefined || ms > MAX_WAIT_MS;
    if (this.#request.repeatable !== true || isTooLong || ++this.#waits > MAX_WAITS) return false;
    this.#call?.abort();
    this.#waiting.add(this);
    const abort = clock.after(ms, () => {
      this.#waiting.delete(this);
      if (!this.#isOver) this.start();
    });
    this.#call = { abort };
    return true;
  }

  #stop(error: McpError): void {
    this.#call?.abort();
    this.#fail(error);
  }

  #fail(error: McpError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#handler.failed(error);
  }
}
