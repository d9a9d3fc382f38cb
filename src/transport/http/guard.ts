/** Protects against DNS rebinding and foreign pages: checks `Host` and `Origin`, and makes the CORS headers. */
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
  /** Undefined when none were configured: those of this machine. */
  readonly #hosts: ReadonlySet<string> | undefined;
  /** Undefined when none were configured: loopback pages can call, without CORS headers. */
  readonly #origins: ReadonlySet<string> | undefined;
  /** Whether pages were allowed by name, so that responses need CORS headers. */
  readonly shares: boolean;
  /** The `Host` that passed last: nearly all requests name the same. */
  #known: string | undefined;

  constructor({ allowedHosts, allowedOrigins }: GuardOptions) {
    this.#hosts = setOf('allowedHosts', allowedHosts, hostOf);
    this.#origins = setOf('allowedOrigins', allowedOrigins, originOf);
    this.shares = this.#origins !== undefined;
  }

  /** Which header rejects a request before anything else is read; undefined when it can pass. */
  fault(view: HttpView): 'host' | 'origin' | undefined {
    const host = view.header('host');
    if (host === undefined || (host !== this.#known && !this.#knows(host))) return 'host';
    const origin = view.header('origin');
    // Browsers always send it with requests of other pages; programs do not.
    return origin === undefined || this.#mayCall(origin) ? undefined : 'origin';
  }

  /** The CORS headers of every response to a page that was allowed by name. */
  cors(view: HttpView): HeaderList | undefined {
    const origin = view.header('origin');
    if (origin === undefined || this.#origins?.has(origin) !== true) return undefined;
    return {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'Mcp-Session-Id, WWW-Authenticate, DPoP-Nonce',
      Vary: 'Origin',
    };
  }

  /** The headers of the response to a CORS preflight, besides what all responses have. */
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

/** Arguments may be repeated in headers of any name; browsers have no pattern for that. */
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
  const why = `"${host}" is no host name; write "example.com" or "example.com:8080"`;
  throw badDefinition('allowedHosts', why);
}

function originOf(origin: string): string {
  if (URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  const why = `"${origin}" is no origin; write "https://app.example", without a path`;
  throw badDefinition('allowedOrigins', why);
}
