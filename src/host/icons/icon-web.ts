/** Fetches icons safely: no credentials, no cross-origin redirects, checked IP addresses (SSRF), size limit and timeout. */
import { addressFault, urlFault } from '../../auth/web/destination.ts';
import { fetchSender, type HttpResponse, type HttpSender } from '../../auth/web/http-sender.ts';
import { nodeSender } from '../../auth/web/http-sender-node.ts';
import { readBytes } from '../../auth/web/json-body.ts';
import { isRedirect, MAX_REDIRECTS } from '../../model/redirects.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { joinSignals, untilAborted } from '../../peer/wait.ts';

/** Timeout, including redirects and the body. */
const MAX_MS = 10_000;

/** The type of the global `fetch`. */
export type IconFetch = Parameters<typeof fetchSender>[0];

export interface IconWebOptions {
  /** The endpoint of the server, if it has one. */
  readonly from: URL | undefined;
  readonly maxBytes: number;
  readonly fetch?: IconFetch;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

export interface FetchedIcon {
  readonly bytes: Uint8Array;
  /** The declared content type. */
  readonly type: string | undefined;
}

export async function fetchIcon(url: URL, options: IconWebOptions): Promise<FetchedIcon> {
  const control = new AbortController();
  const signal = joinSignals(control.signal, options.signal);
  const timeout = new Error(`it took more than ${MAX_MS} ms`);
  const stop = (options.clock ?? systemClock).after(MAX_MS, () => control.abort(timeout));
  try {
    return await untilAborted(requestIcon(url, signal, options), signal);
  } finally {
    stop();
    control.abort();
  }
}

async function requestIcon(url: URL, signal: AbortSignal, options: IconWebOptions): Promise<FetchedIcon> {
  const { maxBytes, fetch } = options;
  const sender = fetch === undefined ? nodeSender() : fetchSender(withoutCredentials(fetch));
  const { status, body, header } = await followRedirects(sender, url, { signal, options });
  if (status !== 200) throw new Error(`it is answered with status ${status}`);
  const bytes = await readBytes(body, maxBytes, () => new Error(`it has more than ${maxBytes} bytes`));
  return { bytes, type: header('content-type') };
}

/** In a browser, `fetch` would send cookies. */
const withoutCredentials =
  (fetch: IconFetch): IconFetch =>
  (url, init) =>
    fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' });

async function followRedirects(
  sender: HttpSender,
  first: URL,
  { signal, options }: { signal: AbortSignal; options: IconWebOptions },
): Promise<HttpResponse> {
  for (let [url, hops] = [first, 0]; ; hops++) {
    const fault = urlFault(url, options);
    if (fault !== undefined) throw new Error(fault);
    const check = (address: string): void => {
      const why = addressFault(url, address, options);
      if (why !== undefined) throw new Error(why);
    };
    const request = { method: 'GET', url, headers: { accept: 'image/*' }, body: undefined, signal, check } as const;
    const answer = await sender(request);
    if (!isRedirect(answer.status)) return answer;
    const location = answer.header('location') ?? '';
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next?.origin !== first.origin) throw new Error('it redirects to another origin');
    if (hops >= MAX_REDIRECTS) throw new Error('it redirects too often');
    url = next;
  }
}
