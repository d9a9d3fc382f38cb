/** Listening in on HTTP: each request with its outcome, and each stream from its beginning to its end. */
import { mediaType } from '../model/media-type.ts';
import { displayUrl, networkReason } from '../model/printable.ts';
import type { Clock } from '../peer/clock.ts';
import type { UrlOptions } from '../transport/http-client/options.ts';

export interface TracedHttp {
  readonly method: string;
  /** Without its query, which may hold secrets. */
  readonly url: string;
  /** Undefined where nothing came back. */
  readonly status?: number;
  readonly type?: string;
  /** How it begins: it is a key to the session. */
  readonly session?: string;
  readonly ms: number;
  /** A stream has ended, with so many bytes and events; without, this is how it began. */
  readonly ended?: { readonly bytes: number; readonly events: number };
  readonly failed?: string;
}

export interface HttpTraceSink {
  readonly clock: Clock;
  hearHttp(heard: TracedHttp): void;
}

type TappedFetch = NonNullable<UrlOptions['fetch']>;

/** Of a session's id no more is shown: all of it is a key to the session. */
const SHOWN = 4;

export function tapFetch({ clock, hearHttp }: HttpTraceSink, fetch: TappedFetch = globalThis.fetch): TappedFetch {
  return async (url, init) => {
    const since = clock.now();
    const about = { method: init.method ?? 'GET', url: displayUrl(url) };
    const sent = new Headers(init.headers).get('mcp-session-id');
    try {
      const response = await fetch(url, init);
      const session = response.headers.get('mcp-session-id') ?? sent;
      const type = mediaType(response.headers.get('content-type'));
      const told: TracedHttp = {
        ...about,
        status: response.status,
        ...(type === '' ? {} : { type }),
        ...(session === null ? {} : { session: `${session.slice(0, SHOWN)}…` }),
        ms: clock.now() - since,
      };
      hearHttp(told);
      if (type !== 'text/event-stream' || response.body === null) return response;
      const body = response.body.pipeThrough(
        countEvents((ended) => hearHttp({ ...told, ms: clock.now() - since, ended })),
      );
      return new Response(body, response);
    } catch (error) {
      if (init.signal?.aborted !== true) hearHttp({ ...about, ms: clock.now() - since, failed: networkReason(error) });
      throw error;
    }
  };
}

/** Events end with an empty line. */
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
