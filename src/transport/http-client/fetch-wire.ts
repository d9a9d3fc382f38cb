/** HTTP over `fetch`, for runtimes other than Node, and for a `fetch` of the application. */
import type { Wire, WireReceiver, WireRequest } from './wire.ts';

export type WireFetch = (url: URL, init: RequestInit) => Promise<Response>;

export function fetchWire(fetch: WireFetch): Wire {
  const open = new Set<AbortController>();
  return {
    send(request, receiver) {
      const control = new AbortController();
      open.add(control);
      void run(fetch, request, receiver, control.signal).finally(() => open.delete(control));
      return { abort: () => control.abort() };
    },
    close() {
      for (const control of open) control.abort();
    },
  };
}

async function run(
  fetch: WireFetch,
  { method, url, headers, body }: WireRequest,
  receiver: WireReceiver,
  signal: AbortSignal,
): Promise<void> {
  try {
    const init = { method, headers, redirect: 'manual', signal } as const;
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    if (signal.aborted) return;
    // Browsers do not reveal the target of a redirect.
    if (response.type === 'opaqueredirect') throw new Error('it redirects, and this runtime does not say where to');
    receiver.head(response.status, (name) => response.headers.get(name) ?? undefined);
    const reader = response.body?.getReader();
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read()) {
      if (signal.aborted) return;
      receiver.data(piece.value);
    }
    if (!signal.aborted) receiver.end();
  } catch (error) {
    if (!signal.aborted) receiver.fail(error, true);
  }
}
