/** Protects against DNS rebinding and cross-origin requests: checks `Host` and `Origin`, and creates the CORS headers. */
import { badDefinition } from '../../errors.ts';
import { isLoopbackHost } from '../../model/loopback.ts';
import type { HeaderList, HttpView } from './view.ts';

export interface GuardOptions {
  readonly allowedHosts?: readonly string[] | undefined;
  readonly allowedOrigins?: readonly string[] | undefined;
}

const hostPattern = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::\d{1,5})?$/i;
const originPattern = /^https?:\/\/(.*)$/;

const REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'content-type',
  'dpop',
  'last-event-id',
  'mcp-method',
  'mcp-name',
  'mcp-protocol-version',
  'mcp-session-id',
]);

export class Guard {
  /** Undefined if not configured: then only loopback names are allowed. */
  readonly #hosts: ReadonlySet<string> | undefined;
  /** Undefined if not configured: then loopback pages can call, without CORS headers. */
  readonly #origins: ReadonlySet<string> | undefined;
  /** Whether origins are configured, so that responses need CORS headers. */
  readonly usesCors: boolean;
  /** The last `Host` that passed. A shortcut: nearly all requests have the same. */
  #known: string | undefined;

  constructor({ allowedHosts, allowedOrigins }: GuardOptions) {
    this.#hosts = setOf('allowedHosts', allowedHosts, hostOf);
    this.#origins = setOf('allowedOrigins', allowedOrigins, originOf);
    this.usesCors = this.#origins !== undefined;
  }

  /** The header for which a request is rejected; undefined if it passes. Runs before all other checks. */
  fault(view: HttpView): 'host' | 'origin' | undefined {
    const host = view.header('host');
    if (host === undefined || (host !== this.#known && !this.#knows(host))) return 'host';
    const origin = view.header('origin');
    // Browsers always send `Origin` with cross-origin requests; other programs do not.
    return origin === undefined || this.#mayCall(origin) ? undefined : 'origin';
  }

  /** The CORS headers of every response to a page of a configured origin. */
  cors(view: HttpView): HeaderList | undefined {
    const origin = view.header('origin');
    if (origin === undefined || this.#origins?.has(origin) !== true) return undefined;
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce',
      Vary: 'Origin',
    };
  }

  /** The headers of the response to a CORS preflight, in addition to those of every response. */
  preflight(view: HttpView): HeaderList | undefined {
    if (this.cors(view) === undefined || view.header('access-control-request-method') === undefined) return undefined;
    const wanted = (view.header('access-control-request-headers') ?? '').split(',').map((name) => name.trim());
    return {
      'Access-Control-Allow-Methods': 'POST, GET, DELETE',
      'Access-Control-Allow-Headers': wanted.filter(mayBeSent).join(', '),
      'Access-Control-Max-Age': '7200',
    };
  }

  #knows(header: string): boolean {
    const host = header.toLowerCase();
    const hosts = this.#hosts;
    const name = hosts?.has(host) === true ? host : hostPattern.exec(host)?.[1];
    const known = name !== undefined && (hosts === undefined ? isLoopbackHost(name) : hosts.has(name));
    if (known) this.#known = header;
    return known;
  }

  #mayCall(origin: string): boolean {
    if (this.#origins !== undefined) return this.#origins.has(origin);
    const host = originPattern.exec(origin)?.[1];
    const name = host === undefined ? undefined : hostPattern.exec(host)?.[1];
    return name !== undefined && isLoopbackHost(name);
  }
}

/** Whether a page can send this header. CORS has no wildcard for `Mcp-Param-*`, so each one that is asked for is allowed by name. */
const mayBeSent = (name: string): boolean =>
  REQUEST_HEADERS.has(name.toLowerCase()) || /^mcp-param-[!#$%&'*+\-.^_`|~\w]+$/i.test(name);

function setOf(
  name: string,
  list: readonly string[] | undefined,
  read: (one: string) => string,
): ReadonlySet<string> | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw badDefinition(name, 'it must be a list');
  return new Set(list.map(read));
}

function hostOf(host: string): string {
  if (hostPattern.test(host)) return host.toLowerCase();
  const why = `"${host}" is not a host name; write "example.com" or "example.com:8080"`;
  throw badDefinition('allowedHosts', why);
}

function originOf(origin: string): string {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  const why = `"${origin}" is not an origin; write "https://app.example", without a path`;
  throw badDefinition('allowedOrigins', why);
}
