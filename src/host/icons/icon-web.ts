/** Fetching icons: no credentials, no way off the origin, checked addresses, small answers in good time. */
import { addressFault, urlFault } from '../../auth/web/destination.ts';
import { fetchSender, type HttpResponse, type HttpSender } from '../../auth/web/http-sender.ts';
import { nodeSender } from '../../auth/web/http-sender-node.ts';
import { readBytes } from '../../auth/web/json-body.ts';
import { isRedirect, MAX_REDIRECTS } from '../../model/redirects.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';

/** All of it, redirects and body included. */
const MAX_MS = 10_000;

/** As the platform has it. */
export type IconFetch = Parameters<typeof fetchSender>[0];

export interface IconWebOptions {
  /** The endpoint of the server, if it has one. */
  readonly from: URL | undefined;
  readonly maxBytes: number;
  readonly fetch?: IconFetch;
  readonly clock?: Clock;
  readonly signal?: AbortSignal | undefined;
}

export async function fetchIcon(
  url: URL,
  options: IconWebOptions,
): Promise<{ bytes: Uint8Array; type: string | undefined }> {
  const control = new AbortController();
  const signal = options.signal === undefined ? control.signal : AbortSignal.any([control.signal, options.signal]);
  const stop = (options.clock ?? systemClock).after(MAX_MS, () =>
    control.abort(new Error(`it took more than ${MAX_MS} ms`)),
  );
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(signal.reason instanceof Error ? signal.reason : new Error('it was cancelled')),
    );
  });
  try {
    return await Promise.race([got(url, signal, options), aborted]);
  } finally {
    stop();
    control.abort();
  }
}

async function got(
  url: URL,
  signal: AbortSignal,
  options: IconWebOptions,
): Promise<{ bytes: Uint8Array; type: string | undefined }> {
  const carrier = options.fetch === undefined ? nodeSender() : fetchSender(uncredited(options.fetch));
  const answer = await followed(carrier, url, { signal, options });
  if (answer.status !== 200) throw new Error(`it is answered with status ${answer.status}`);
  return {
    bytes: await readBytes(
      answer.body,
      options.maxBytes,
      () => new Error(`it has more than ${options.maxBytes} bytes`),
    ),
    type: answer.header('content-type'),
  };
}

/** A page would send its cookies along. */
const uncredited =
  (fetch: IconFetch): IconFetch =>
  (url, init) =>
    fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' });

async function followed(
  carrier: HttpSender,
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
    const answer = await carrier({
      method: 'GET',
      url,
      headers: { accept: 'image/*' },
      body: undefined,
      signal,
      check,
    });
    if (!isRedirect(answer.status)) return answer;
    const location = answer.header('location') ?? '';
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next?.origin !== first.origin) throw new Error('it redirects to another origin');
    if (hops >= MAX_REDIRECTS) throw new Error('it redirects too often');
    url = next;
  }
}
