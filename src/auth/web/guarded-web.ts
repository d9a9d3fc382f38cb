/** The web for the OAuth chain: every address checked, no credentials along a redirect, small answers in good time, all of it traced. */
import { McpError } from '../../errors.ts';
import { displayUrl, networkReason, printable } from '../../model/printable.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { isNode } from '../../peer/runtime.ts';
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
import type { Web, WebRequest, WebResponse } from './web.ts';

const MAX_REDIRECTS = 3;
/** One request, with its redirects and the body of its answer. */
const MAX_MS = 10_000;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface GuardedWebOptions extends DestinationContext {
  /** Used in place of our own connections. Names are then resolved by it, and only addresses in URLs can be checked here. */
  readonly fetch?: FetchFunction | undefined;
  /** Used in place of the system's resolver, on Node. */
  readonly lookup?: HostLookup | undefined;
  readonly trace?: Trace | undefined;
  readonly clock?: Clock | undefined;
}

export function guardedWeb(options: GuardedWebOptions = {}): Web {
  const { clock = systemClock, trace } = options;
  return async (request) => {
    const visit = new GuardedRequest(request, options);
    try {
      return await withTimeout(clock, request, (signal) => visit.answer(signal));
    } catch (error) {
      const failure = visit.failure(error);
      const why = 'why' in failure.details ? String(failure.details.why) : failure.message;
      trace?.({ step: request.step, of: visit.at, outcome: 'refused', why });
      throw failure;
    }
  };
}

/** The promise of the work, or of an error when it takes too long; whatever the work holds is let go afterwards. */
async function withTimeout<T>(
  clock: Clock,
  { step }: WebRequest,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const control = new AbortController();
  let stop = (): void => undefined;
  const late = new Promise<never>((_, reject) => {
    const method = `The request for ${step}`;
    stop = clock.after(MAX_MS, () =>
      reject(new McpError('MCP_TIMEOUT', { method, ms: MAX_MS, setting: 'a fixed limit' })),
    );
  });
  try {
    return await Promise.race([work(control.signal), late]);
  } finally {
    stop();
    control.abort();
  }
}

/** One request, from hop to hop. */
class GuardedRequest {
  readonly #request: WebRequest;
  readonly #options: GuardedWebOptions;
  readonly #what: string;
  /** Where it is at, as it may be shown. */
  at: string;

  constructor(request: WebRequest, options: GuardedWebOptions) {
    this.#request = request;
    this.#options = options;
    this.#what = `The request for ${request.step}`;
    this.at = 'an address';
  }

  async answer(signal: AbortSignal): Promise<WebResponse> {
    const sender = await senderFor(this.#options);
    const { headers, body } = encodeRequest(this.#request);
    let url = this.#checked(this.#request.url);
    let answer = await this.#send(sender, { url, headers, body, signal });
    for (let hops = 0; redirects.has(answer.status); hops++) {
      url = this.#next(url, answer, hops);
      // Of what was sent, only the wish for JSON goes along.
      answer = await this.#send(sender, {
        url,
        headers: { accept: headers['accept'] ?? '' },
        body: undefined,
        signal,
      });
    }
    const { status, header } = answer;
    const json = await readJsonBody(answer, `The answer of ${this.at}`);
    this.#tell(`${this.#request.method}, status ${status}, ${json === undefined ? 'no JSON' : 'JSON'}`);
    return { status, header, json };
  }

  failure(error: unknown): McpError {
    if (error instanceof McpError) return error;
    return new McpError('MCP_UNREACHABLE', { url: this.at, why: networkReason(error) }, { cause: error });
  }

  #send(sender: HttpSender, hop: Pick<HttpRequest, 'url' | 'headers' | 'body' | 'signal'>): Promise<HttpResponse> {
    const check = (address: string): void => {
      const why = addressFault(hop.url, address, this.#options);
      if (why !== undefined) throw this.#blocked(why);
    };
    return sender({ ...hop, method: this.#request.method, check });
  }

  #next(url: URL, { status, header }: HttpResponse, hops: number): URL {
    const location = header('location') ?? '';
    this.#tell(`${this.#request.method}, status ${status}, redirected`);
    const next = this.#checked(URL.canParse(location, url) ? new URL(location, url).href : location);
    if (this.#request.method === 'POST')
      throw this.#blocked('what is posted is meant for one address only, and not sent on');
    // Whoever finds an open redirect there could otherwise write the documents of that server.
    if (next.origin !== url.origin)
      throw this.#blocked(`${url.origin} is asked, and another origin cannot speak for it`);
    if (hops >= MAX_REDIRECTS) throw this.#blocked(`it is the redirect number ${hops + 1} in a row`);
    return next;
  }

  #checked(text: string): URL {
    if (!URL.canParse(text)) {
      this.at = printable(JSON.stringify(text.slice(0, 100)));
      throw this.#blocked('that is no URL');
    }
    const url = new URL(text);
    this.at = shownUrl(url);
    const why = urlFault(url, this.#options);
    if (why !== undefined) throw this.#blocked(why);
    return url;
  }

  #blocked(why: string): McpError {
    return new McpError('MCP_AUTH_BLOCKED', { step: this.#what, url: this.at, why });
  }

  #tell(why: string): void {
    this.#options.trace?.({ step: this.#request.step, of: this.at, outcome: 'asked', why });
  }
}

/** Of a scheme without an origin, the scheme alone: what follows may be anything. */
const shownUrl = (url: URL): string => (url.origin === 'null' ? url.protocol : displayUrl(url));

function encodeRequest({ headers, body }: WebRequest): { headers: Record<string, string>; body: string | undefined } {
  const all = { accept: 'application/json', ...headers };
  if (body === undefined) return { headers: all, body };
  if (body instanceof URLSearchParams)
    return { headers: { ...all, 'content-type': 'application/x-www-form-urlencoded' }, body: body.toString() };
  return { headers: { ...all, 'content-type': 'application/json' }, body: JSON.stringify(body.json) };
}

async function senderFor({ fetch: own, lookup }: GuardedWebOptions): Promise<HttpSender> {
  if (own !== undefined) return fetchSender(own);
  if (!isNode()) return fetchSender((url, init) => fetch(url, init));
  const { nodeSender } = await import('./http-sender-node.ts');
  return nodeSender(lookup);
}
