/** HTTP client of the OAuth flow: blocks unsafe addresses (SSRF), strips credentials on redirects, limits size and time, traces every step. */
import { McpError } from '../../errors.ts';
import { displayUrl, networkReason, printable } from '../../model/printable.ts';
import { isRedirect, MAX_REDIRECTS } from '../../model/redirects.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { isNode } from '../../peer/runtime.ts';
import { withTimeout } from '../../peer/wait.ts';
import { addressFault, type DestinationContext, urlFault } from './destination.ts';
import {
  type FetchFunction,
  fetchSender,
  type HttpRequest,
  type HttpResponse,
  type HttpSender,
} from './http-sender.ts';
import type { HostLookup } from './http-sender-node.ts';
import { readJsonBody } from './json-body.ts';
import type { Trace } from './trace.ts';

export interface WebRequest {
  /** The purpose of the request, as the trace prints it: `protected resource metadata`, `token`. */
  readonly step: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  /** Names in lower case. `accept` is `application/json` by default. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A form (`application/x-www-form-urlencoded`), or JSON. */
  readonly body?: URLSearchParams | { readonly json: unknown };
}

export interface WebResponse extends Omit<HttpResponse, 'body'> {
  /** The parsed body; undefined if it is not JSON. */
  readonly json: unknown;
}

/** Rejects with an `McpError` if the request is blocked or fails, or if its response exceeds a limit. */
export type Web = (request: WebRequest) => Promise<WebResponse>;

/** Covers one request with its redirects and the body of the response. */
const TIMEOUT_MS = 10_000;

export interface GuardedWebOptions extends DestinationContext {
  /** Replaces the built-in HTTP client. Resolved addresses cannot be checked then, only those in URLs. */
  readonly fetch?: FetchFunction | undefined;
  /** Replaces the system's DNS resolver, on Node. */
  readonly lookup?: HostLookup | undefined;
  readonly trace?: Trace | undefined;
  readonly clock?: Clock | undefined;
}

export function guardedWeb(options: GuardedWebOptions = {}): Web {
  const { clock = systemClock, trace } = options;
  return async (request) => {
    const guarded = new GuardedRequest(request, options);
    const control = new AbortController();
    try {
      const response = await withTimeout(TIMEOUT_MS, clock, guarded.send(control.signal));
      if (response !== undefined) return response;
      const method = `The request for ${request.step}`;
      throw new McpError('MCP_TIMEOUT', { method, ms: TIMEOUT_MS, setting: 'a fixed limit' });
    } catch (error) {
      const failure = guarded.failure(error);
      const why = 'why' in failure.details ? String(failure.details.why) : failure.message;
      trace?.({ step: request.step, of: guarded.at, outcome: 'failed', why });
      throw failure;
    } finally {
      // Closes connections that are still open.
      control.abort();
    }
  };
}

class GuardedRequest {
  readonly #request: WebRequest;
  readonly #options: GuardedWebOptions;
  /** The URL of the current request or redirect, safe to show. */
  at = 'an address';

  constructor(request: WebRequest, options: GuardedWebOptions) {
    this.#request = request;
    this.#options = options;
  }

  async send(signal: AbortSignal): Promise<WebResponse> {
    const sender = await senderFor(this.#options);
    const { headers, body } = encodeRequest(this.#request);
    let url = this.#check(this.#request.url);
    let response = await this.#sendOnce(sender, { url, headers, body, signal });
    // Credentials are not forwarded: a redirect gets `accept` only.
    const accept = { accept: headers['accept'] ?? '' };
    for (let hops = 0; isRedirect(response.status); hops++) {
      url = this.#redirect(url, response, hops);
      response = await this.#sendOnce(sender, { url, headers: accept, body: undefined, signal });
    }
    const { status, header } = response;
    const json = await readJsonBody(response, `The answer of ${this.at}`);
    this.#trace(`${this.#request.method}, status ${status}, ${json === undefined ? 'no JSON' : 'JSON'}`);
    return { status, header, json };
  }

  failure(error: unknown): McpError {
    if (error instanceof McpError) return error;
    return new McpError('MCP_UNREACHABLE', { url: this.at, why: networkReason(error) }, { cause: error });
  }

  #sendOnce(sender: HttpSender, hop: Pick<HttpRequest, 'url' | 'headers' | 'body' | 'signal'>): Promise<HttpResponse> {
    const check = (address: string): void => this.#blockIf(addressFault(hop.url, address, this.#options));
    return sender({ ...hop, method: this.#request.method, check });
  }

  #redirect(url: URL, { status, header }: HttpResponse, hops: number): URL {
    const location = header('location') ?? '';
    this.#trace(`${this.#request.method}, status ${status}, redirected`);
    const next = this.#check(URL.canParse(location, url) ? new URL(location, url).href : location);
    if (this.#request.method === 'POST') this.#blockIf('a POST does not follow redirects');
    // Otherwise an attacker could use an open redirect to serve metadata in the name of this origin.
    if (next.origin !== url.origin) this.#blockIf(`${url.origin} redirects to another origin, which is not followed`);
    if (hops >= MAX_REDIRECTS) this.#blockIf(`it is redirect number ${hops + 1} in a row`);
    return next;
  }

  #check(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    this.at = url === undefined ? printable(JSON.stringify(text.slice(0, 100))) : displayUrl(url);
    if (url === undefined) throw this.#blockedError('that is not a URL');
    this.#blockIf(urlFault(url, this.#options));
    return url;
  }

  #blockIf(why: string | undefined): void {
    if (why !== undefined) throw this.#blockedError(why);
  }

  #blockedError(why: string): McpError {
    return new McpError('MCP_AUTH_BLOCKED', { step: `The request for ${this.#request.step}`, url: this.at, why });
  }

  #trace(why: string): void {
    this.#options.trace?.({ step: this.#request.step, of: this.at, outcome: 'asked', why });
  }
}

function encodeRequest({ headers, body }: WebRequest): { headers: Record<string, string>; body: string | undefined } {
  const all = { accept: 'application/json', ...headers };
  if (body === undefined) return { headers: all, body };
  const isForm = body instanceof URLSearchParams;
  return {
    headers: { ...all, 'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' },
    body: isForm ? body.toString() : JSON.stringify(body.json),
  };
}

async function senderFor({ fetch: own, lookup }: GuardedWebOptions): Promise<HttpSender> {
  if (own !== undefined) return fetchSender(own);
  if (!isNode()) return fetchSender((url, init) => fetch(url, init));
  const { nodeSender } = await import('./http-sender-node.ts');
  return nodeSender(lookup);
}
