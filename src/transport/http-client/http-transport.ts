/** The transport for a URL. Opens the network connection with the first message. */
import type { Transport } from '../../peer/exchange.ts';
import { isNode } from '../../peer/runtime.ts';
import { fetchWire } from './fetch-wire.ts';
import { HttpConnection } from './http-connection.ts';
import { type HttpClientOptions, httpClientSettings } from './options.ts';
import { Sender } from './sender.ts';
import type { Wire } from './wire.ts';

export function httpTransport(url: string | URL, options: HttpClientOptions = {}): Transport {
  const settings = httpClientSettings(url, options);
  return async (inbound, session) => {
    const wire = await wireTo(settings.url.origin, options);
    return new HttpConnection(new Sender(wire, settings), inbound, session);
  };
}

async function wireTo(origin: string, { fetch: own }: HttpClientOptions): Promise<Wire> {
  if (own !== undefined) return fetchWire(own);
  if (!isNode()) return fetchWire((url, init) => fetch(url, init));
  const { undiciWire } = await import('./undici-wire.ts');
  return undiciWire(origin);
}
