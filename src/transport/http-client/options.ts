/** The options of the HTTP transport, and their defaults. */
import { badDefinition } from '../../errors.ts';
import type { ClientAuth, HttpAuth } from '../../model/auth.ts';
import { isHeaderName, isHeaderValue } from '../../model/header-fields.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { DeadlinePause } from '../../peer/deadlines.ts';
import { RequestCredentials } from './credentials.ts';
import type { WireFetch } from './fetch-wire.ts';
import { MAX_EVENT_LENGTH } from './sse-parser.ts';

/** What `connect` takes with a URL. */
export interface UrlOptions {
  /** Sent with every request. Those of the protocol cannot be replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Where credentials come from, such as `oauth()`. */
  readonly auth?: ClientAuth | undefined;
  /** Used in place of our own connections, for a proxy or a certificate of your own. */
  readonly fetch?: WireFetch | undefined;
  /** One JSON answer, or one event of a stream, after decompression. 16 MiB. */
  readonly maxAnswerBytes?: number | undefined;
}

export interface HttpClientOptions extends UrlOptions {
  readonly clock?: Clock | undefined;
  /** Deadlines are paused while credentials are being found. */
  readonly pause?: DeadlinePause | undefined;
  /** Between 0 and 1, for the time between two attempts to take up a stream. */
  readonly random?: (() => number) | undefined;
  /** Gets warnings. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export interface HttpClientSettings {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: HttpAuth | undefined;
  /** Which of its credentials are in use, on all connections of a transport. */
  readonly credentials: RequestCredentials | undefined;
  readonly maxAnswerBytes: number;
  readonly clock: Clock;
  readonly pause: DeadlinePause;
  readonly random: () => number;
  readonly warn: (warning: string) => void;
}

export function httpClientSettings(target: string | URL, options: HttpClientOptions): HttpClientSettings {
  const url = endpointOf(target);
  const auth = options.auth?.(new URL(url));
  return {
    url,
    headers: headersOf(options.headers ?? {}),
    auth,
    credentials: auth === undefined ? undefined : new RequestCredentials(url, auth),
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_EVENT_LENGTH,
    clock: options.clock ?? systemClock,
    pause: options.pause ?? new DeadlinePause(),
    random: options.random ?? Math.random,
    warn: options.onWarning ?? (() => undefined),
  };
}

function endpointOf(target: string | URL): URL {
  const url = URL.canParse(String(target)) ? new URL(target) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw badDefinition(
      `The URL ${JSON.stringify(String(target).slice(0, 200))}`,
      'it must begin with http:// or https://; a command is { command, args }',
    );
  if (url.username !== '' || url.password !== '')
    throw badDefinition(`The URL of ${url.host}`, 'credentials do not belong there; pass them as "headers" or "auth"');
  url.hash = '';
  return url;
}

function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([key, text]): [string, string] => {
    if (!isHeaderName(key) || !isHeaderValue(text))
      throw badDefinition(`The header ${JSON.stringify(key)}`, 'its name or its value is not one that HTTP can carry');
    return [key.toLowerCase(), text];
  });
  return Object.fromEntries(entries);
}
