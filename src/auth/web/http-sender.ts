/** How one request gets to the web and its answer back: `fetch` here, sockets of our own on Node. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /** Throws when an address that the host resolved to may not be connected to. */
  readonly check: (address: string) => void;
}

export interface HttpResponse {
  readonly status: number;
  header(name: string): string | undefined;
  /** Piece by piece, decompressed. */
  readonly body: AsyncIterable<Uint8Array>;
}

export type HttpSender = (request: HttpRequest) => Promise<HttpResponse>;

/** As the platform has it. */
export type FetchFunction = (url: URL, init: RequestInit) => Promise<Response>;

/** `fetch` resolves names by itself and does not say to what, so their addresses go unchecked here. */
export function fetchSender(fetch: FetchFunction): HttpSender {
  return async ({ method, url, headers, body, signal }) => {
    const init = { method, headers, signal, redirect: 'manual' } as const;
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    // A browser does not show where a redirect leads to.
    if (response.type === 'opaqueredirect') throw new Error('it redirects, and this runtime does not say where to');
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
