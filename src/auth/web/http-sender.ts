/** Sends one HTTP request: with `fetch` here, with checked connections on Node (`http-sender-node.ts`). */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Throws for an address of the host that is blocked. */
  readonly check: (address: string) => void;
}

export interface HttpResponse {
  readonly status: number;
  /** A field by its name in lower case. */
  header(name: string): string | undefined;
  /** In chunks, decompressed. */
  readonly body: AsyncIterable<Uint8Array>;
}

export type HttpSender = (request: HttpRequest) => Promise<HttpResponse>;

/** The platform's `fetch`. */
export type FetchFunction = (url: URL, init: RequestInit) => Promise<Response>;

/** `fetch` does not reveal the addresses of a name, so they are not checked here. */
export function fetchSender(fetch: FetchFunction): HttpSender {
  return async ({ method, url, headers, body, signal }) => {
    const init = { method, headers, signal, redirect: 'manual' } as const;
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    // A browser hides the target of a redirect.
    if (response.type === 'opaqueredirect') throw new Error('the server redirects, and this runtime hides the target');
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: readChunks(response),
    };
  };
}

/** Not every runtime can iterate over a stream. */
async function* readChunks({ body }: Response): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) yield piece.value;
}
