/** Sends what one line has to send: with credentials, through redirects within the origin, and later when asked to wait. */
import { McpError } from '../../errors.ts';
import type { HeaderFields, OutgoingRequest } from '../../model/auth.ts';
import { displayUrl, networkReason, printable } from '../../model/printable.ts';
import { Deadlines } from '../../peer/deadlines.ts';
import type { HttpClientSettings } from './options.ts';
import { quoteBody, RefusalReason, retryAfter } from './refusal.ts';
import type { Wire, WireCall, WireReceiver, WireRequest } from './wire.ts';

const MAX_REDIRECTS = 3;
/** Times that credentials may be renewed for one request. */
const MAX_CHALLENGES = 2;
const MAX_WAITS = 3;
const LONGEST_WAIT_MS = 60_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What every POST says of itself. */
export const POSTED: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export interface Sent extends Omit<WireRequest, 'url'> {
  /** Without it, the endpoint that was dialled. */
  readonly url?: URL | undefined;
  /** What it is called in errors: the method of JSON-RPC, where there is one. */
  readonly what: string;
  /** Safe to send again when the server is busy. */
  readonly repeatable?: boolean;
  /** The revision that an opening offers; everything else names it in a header. */
  readonly offers?: string | undefined;
}

export interface Receiver extends Omit<WireReceiver, 'fail'> {
  fail(error: McpError): void;
}

export class Sender {
  readonly #wire: Wire;
  readonly settings: HttpClientSettings;
  /** Until when streams that have nothing more to say are waited for. */
  readonly graces: Deadlines;

  constructor(wire: Wire, settings: HttpClientSettings) {
    this.#wire = wire;
    this.settings = settings;
    this.graces = new Deadlines(settings.clock);
  }

  send(request: Sent, receiver: Receiver): WireCall {
    const sending = new HttpExchange({ wire: this.#wire, settings: this.settings, request }, receiver);
    sending.start();
    return sending;
  }

  close(): void {
    // Whoever is still waited for is not waited for any longer: somebody may be signing in for it.
    for (const waited of this.graces.close()) waited.expire();
    this.#wire.close();
  }
}

interface Errand {
  readonly wire: Wire;
  readonly settings: HttpClientSettings;
  readonly request: Sent;
}

interface Unauthorized {
  readonly url: string;
  readonly status: number;
  readonly challenge: string | undefined;
  readonly reason?: RefusalReason;
}

class HttpExchange implements WireReceiver, WireCall {
  readonly #errand: Errand;
  readonly #receiver: Receiver;
  #url: URL;
  #call: WireCall | undefined;
  #shown: HeaderFields;
  #over = false;
  #wanted: AbortController | undefined;
  #redirects = 0;
  #challenges = 0;
  #waits = 0;
  /** Where credentials are refused: what else was said about it. */
  #reason: RefusalReason | undefined;

  constructor(errand: Errand, receiver: Receiver) {
    this.#errand = errand;
    this.#receiver = receiver;
    this.#url = errand.request.url ?? errand.settings.url;
  }

  start(): void {
    const { auth } = this.#errand.settings;
    if (auth === undefined) this.#send(undefined);
    else
      this.#asking(
        async () => auth.headers(this.#request()),
        (fields) => this.#send(fields),
      );
  }

  hangUp(): void {
    this.#over = true;
    this.#wanted?.abort();
    this.#call?.hangUp();
  }

  head(status: number, header: (name: string) => string | undefined): void {
    if (redirects.has(status)) this.#redirect(status, header('location'));
    else if (status === 401 || status === 403) this.#challenged(status, header);
    else if ((status === 429 || status === 503) && this.#mayWait(header)) return;
    else {
      this.#errand.settings.auth?.onResponse?.(this.#request(), header);
      this.#receiver.head(status, header);
    }
  }

  data(chunk: Uint8Array): void {
    if (this.#reason !== undefined) this.#reason.add(chunk);
    else if (!this.#over) this.#receiver.data(chunk);
  }

  end(): void {
    if (this.#reason !== undefined) this.#reason.end();
    else if (!this.#over) this.#receiver.end();
  }

  fail(error: unknown, sent: boolean): void {
    // What was refused is refused, even if the reason broke off.
    if (this.#reason !== undefined) {
      this.#reason.end();
      return;
    }
    const why = networkReason(error);
    const { what } = this.#errand.request;
    this.#fail(
      sent
        ? new McpError(
            'MCP_CLOSED',
            { why: `${displayUrl(this.#url)} broke off during ${what}: ${why}` },
            { cause: error },
          )
        : new McpError('MCP_UNREACHABLE', { url: displayUrl(this.#url), why }, { cause: error }),
    );
  }

  #request(): OutgoingRequest {
    const { method, what: operation } = this.#errand.request;
    this.#wanted ??= new AbortController();
    return { method, url: this.#url, operation, signal: this.#wanted.signal };
  }

  #send(fields: HeaderFields): void {
    const { wire, request, settings } = this.#errand;
    const { method, body } = request;
    this.#shown = fields;
    settings.credentials?.use(fields);
    const headers = fields === undefined ? request.headers : { ...request.headers, ...fields };
    this.#call = wire.send({ method, url: this.#url, headers, body }, this);
  }

  /** The same request to another path of the same origin, and nowhere else. */
  #redirect(status: number, location: string | undefined): void {
    const { method, what } = this.#errand.request;
    const to = location !== undefined && URL.canParse(location, this.#url) ? new URL(location, this.#url) : undefined;
    const why = to === undefined ? 'that is no URL' : this.#redirectFault(to, status === 303 && method !== 'GET');
    this.#call?.hangUp();
    if (to === undefined || why !== undefined) {
      const where = to === undefined ? printable((location ?? 'nowhere').slice(0, 200)) : displayUrl(to);
      const details = { url: displayUrl(this.#url), method: what, to: where, why: why ?? '' };
      this.#fail(new McpError('MCP_HTTP_REDIRECT', details));
      return;
    }
    this.#url = to;
    this.start();
  }

  #redirectFault(to: URL, changesMethod: boolean): string | undefined {
    if (to.origin !== this.#url.origin) return 'another origin would get to see what is meant for this one';
    if (changesMethod) return 'the method would change';
    return ++this.#redirects > MAX_REDIRECTS ? `more than ${MAX_REDIRECTS} redirects in a row` : undefined;
  }

  #challenged(status: number, header: (name: string) => string | undefined): void {
    const { auth, clock } = this.#errand.settings;
    const reason = new RefusalReason();
    this.#reason = reason;
    const refusal = { url: displayUrl(this.#url), status, challenge: header('www-authenticate'), reason };
    const refuse = (): void => {
      this.#call?.hangUp();
      this.#fail(this.#unauthorized(refusal));
    };
    const { headers, offers } = this.#errand.request;
    const revision = headers['mcp-protocol-version'] ?? offers;
    const seen = { ...this.#request(), status, header, sent: this.#shown, revision };
    if (auth === undefined || ++this.#challenges > MAX_CHALLENGES) reason.whole(clock, refuse);
    else
      this.#asking(
        async () => auth.onChallenge(seen),
        (again) => {
          if (!again) {
            refuse();
            return;
          }
          this.#call?.hangUp();
          this.#reason = undefined;
          this.start();
        },
      );
  }

  /** Asks whoever has the credentials; what it throws is the outcome. */
  #asking<T>(ask: () => Promise<T>, then: (answer: T) => void): void {
    this.#errand.settings.patience.during(ask()).then(
      (answer) => {
        if (!this.#over) then(answer);
      },
      (error: unknown) => {
        this.#call?.hangUp();
        const refusal = { url: displayUrl(this.#url), status: 0, challenge: networkReason(error) };
        this.#fail(error instanceof McpError ? error : this.#unauthorized(refusal, error));
      },
    );
  }

  #unauthorized({ url, status, challenge, reason }: Unauthorized, cause?: unknown): McpError {
    const { request } = this.#errand;
    const said = challenge === undefined ? 'without WWW-Authenticate' : printable(challenge.slice(0, 500));
    const body = quoteBody(reason?.text ?? '', { ...request.headers, ...this.#shown });
    // Without a challenge, a 403 is not about who is asking.
    const advice =
      status === 403 && challenge === undefined
        ? 'check what the server allows: callers, hosts, origins'
        : 'pass credentials as "headers" or "auth"';
    return new McpError(
      'MCP_UNAUTHORIZED',
      { url, method: request.what, status, challenge: said, body, advice },
      { cause },
    );
  }

  #mayWait(header: (name: string) => string | undefined): boolean {
    const { settings, request } = this.#errand;
    const ms = retryAfter(header('retry-after'), settings.clock);
    if (request.repeatable !== true || ms === undefined || ms > LONGEST_WAIT_MS || ++this.#waits > MAX_WAITS)
      return false;
    this.#call?.hangUp();
    const hangUp = settings.clock.after(ms, () => {
      if (!this.#over) this.start();
    });
    this.#call = { hangUp };
    return true;
  }

  #fail(error: McpError): void {
    if (this.#over) return;
    this.#over = true;
    this.#receiver.fail(error);
  }
}
