/** The options of the HTTP transport, and their defaults. */
import { badDefinition } from '../../errors.ts';
import type { ClientAuth, HttpAuth } from '../../model/auth.ts';
import { isHeaderName, isHeaderValue } from '../../model/header-fields.ts';
import { valueKind } from '../../model/value-kind.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { DeadlinePause } from '../../peer/deadlines.ts';
import { RequestCredentials } from './credentials.ts';
import type { WireFetch } from './fetch-wire.ts';
import { MAX_EVENT_LENGTH } from './sse-parser.ts';

/** Options of `connect` for a URL. */
export interface UrlOptions {
  /** Headers of every request. They cannot replace headers of the protocol. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The source of credentials, such as `oauth()`. */
  readonly auth?: ClientAuth | undefined;
  /** Replaces the built-in HTTP client, for example to use a proxy or your own certificates. */
  readonly fetch?: WireFetch | undefined;
  /** Maximum size of a JSON response, or of one event of a stream, after decompression. Default: 16 MiB. */
  readonly maxAnswerBytes?: number | undefined;
}

export interface HttpClientOptions extends UrlOptions {
  readonly clock?: Clock | undefined;
  /** Pauses deadlines while credentials are obtained. */
  readonly pause?: DeadlinePause | undefined;
  /** Returns a number between 0 and 1, for the jitter of reconnection delays. */
  readonly random?: (() => number) | undefined;
  /** Called with warnings. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export interface HttpClientSettings {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: HttpAuth | undefined;
  /** Numbers the credentials in use, on all connections of a transport. */
  readonly credentials: RequestCredentials | undefined;
  readonly maxAnswerBytes: number;
  readonly clock: Clock;
  readonly pause: DeadlinePause;
  readonly random: () => number;
  readonly warn: (warning: string) => void;
}

export function httpClientSettings(target: string | URL, options: HttpClientOptions): HttpClientSettings {
  const url = endpointOf(target);
  const auth = options.auth === undefined ? undefined : checkAuth(options.auth(new URL(url)));
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

/** For callers without TypeScript, whose function returns a token. */
function checkAuth(auth: HttpAuth): HttpAuth {
  if (typeof auth?.headers === 'function' && typeof auth.onChallenge === 'function') return auth;
  const expected = 'it must return { headers(), onChallenge() }, as that of oauth() does';
  const token = 'a fixed token is headers: { authorization: "Bearer …" }';
  throw badDefinition('The function "auth"', `${expected}, not ${valueKind(auth)}; ${token}`);
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
