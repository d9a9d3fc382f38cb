/** The HTTP client interface of the OAuth flow, and its implementation with `fetch`. Node uses `http-sender-node.ts`. */

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Throws if this address of the host is blocked. */
  readonly check: (address: string) => void;
}

export interface HttpResponse {
  readonly status: number;
  /** The value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** Decompressed chunks. */
  readonly body: AsyncIterable<Uint8Array>;
}

export type HttpSender = (request: HttpRequest) => Promise<HttpResponse>;

/** The signature of the platform's `fetch`, as the OAuth flow calls it. */
export type FetchFunction = (url: URL, init: RequestInit) => Promise<Response>;

/** Ignores `check`: `fetch` does not reveal the addresses that a name resolves to. */
export function fetchSender(fetch: FetchFunction): HttpSender {
  return async ({ method, url, headers, body, signal }) => {
    const init = { method, headers, signal, redirect: 'manual' } as const;
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    // Browsers hide the target of a redirect (opaqueredirect).
    if (response.type === 'opaqueredirect') throw new Error('the server redirects, and this runtime hides the target');
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: readChunks(response),
    };
  };
}

/** Uses a reader, because not every runtime can iterate over a `ReadableStream`. */
async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) yield piece.value;
}
