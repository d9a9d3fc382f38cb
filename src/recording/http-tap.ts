/** Observes HTTP for `mooring trace` and the workbench: reports each request with its outcome, and the end of each stream. */
import { mediaType } from '../model/media-type.ts';
import { displayUrl, networkReason } from '../model/printable.ts';
import type { Clock } from '../peer/clock.ts';
import type { UrlOptions } from '../transport/http-client/options.ts';

export interface TracedHttp {
  readonly method: string;
  /** Without the query, which can contain secrets. */
  readonly url: string;
  /** Undefined without a response. */
  readonly status?: number;
  readonly type?: string;
  /** The first characters of the session id. */
  readonly session?: string;
  readonly ms: number;
  /** Set in the second report about a stream, when it has ended. */
  readonly ended?: { readonly bytes: number; readonly events: number };
  readonly failed?: string;
}

export interface HttpTraceSink {
  readonly clock: Clock;
  onHttp(request: TracedHttp): void;
}

type TappedFetch = NonNullable<UrlOptions['fetch']>;

/** Session ids are truncated to this length, because a whole one gives access to the session. */
const SESSION_PREFIX_LENGTH = 4;

export function tapFetch({ clock, onHttp }: HttpTraceSink, fetch: TappedFetch = globalThis.fetch): TappedFetch {
  return async (url, init) => {
    const since = clock.now();
    const about = { method: init.method ?? 'GET', url: displayUrl(url) };
    const sentSession = new Headers(init.headers).get('mcp-session-id');
    try {
      const response = await fetch(url, init);
      const session = response.headers.get('mcp-session-id') ?? sentSession;
      const type = mediaType(response.headers.get('content-type'));
      const traced: TracedHttp = {
        ...about,
        status: response.status,
        ...(type === '' ? {} : { type }),
        ...(session === null ? {} : { session: `${session.slice(0, SESSION_PREFIX_LENGTH)}…` }),
        ms: clock.now() - since,
      };
      onHttp(traced);
      if (type !== 'text/event-stream' || response.body === null) return response;
      const body = response.body.pipeThrough(
        countEvents((ended) => onHttp({ ...traced, ms: clock.now() - since, ended })),
      );
      return new Response(body, response);
    } catch (error) {
      if (init.signal?.aborted !== true) onHttp({ ...about, ms: clock.now() - since, failed: networkReason(error) });
      throw error;
    }
  };
}

/** Counts bytes and events of an SSE stream; an empty line ends an event. */
function countEvents(
  done: (ended: { bytes: number; events: number }) => void,
): TransformStream<Uint8Array, Uint8Array> {
  let [bytes, events, last] = [0, 0, 0];
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      for (const byte of chunk) {
        if (byte === 0x0d) continue;
        if (byte === 0x0a && last === 0x0a) events++;
        last = byte;
      }
      controller.enqueue(chunk);
    },
    flush: () => done({ bytes, events }),
  });
}
