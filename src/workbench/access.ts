/** Access control: only the workbench's own page, from its own origin and with a token. Other requests are rejected unread. */
import { Buffer } from 'node:buffer';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../peer/clock.ts';
import { setNewest } from '../peer/set-newest.ts';

/** Lifetime of a start token, which is part of the printed URL. */
const START_MS: number = 2 * 60_000;
/** Maximum number of start tokens, and of session tokens; the oldest is evicted. */
const MAX_TOKENS = 100;
const MAX_REPORTED_ORIGINS = 100;

export interface AccessOptions {
  readonly clock: Clock;
  /** Called once for each foreign origin that was rejected. */
  onForeignOrigin(origin: string): void;
}

export class Access {
  readonly #options: AccessOptions;
  /** Keyed by hash, so that the timing of a lookup reveals nothing about a token. */
  readonly #starts: Map<string, number> = new Map();
  readonly #sessions: Map<string, Buffer> = new Map();
  readonly #reported: Set<string> = new Set();
  /** Host and port as browsers send them, such as `127.0.0.1:4460`. Set when the server listens. */
  host = '';

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** A URL for one more page. Its token is in the fragment, so it appears in no log and no `Referer`. */
  invite(): string {
    const token = newToken();
    setNewest(this.#starts, hashOf(token), this.#options.clock.now() + START_MS, MAX_TOKENS);
    return `${this.origin}/#t=${token}`;
  }

  /** Exchanges a start token for a session token, once; undefined if the start token is unknown or expired. */
  exchange(start: string): string | undefined {
    const key = hashOf(start);
    const until = this.#starts.get(key);
    this.#starts.delete(key);
    if (until === undefined || this.#options.clock.now() > until) return undefined;
    const token = newToken();
    const hash = hashOf(token);
    setNewest(this.#sessions, hash, Buffer.from(hash), MAX_TOKENS);
    return token;
  }

  /** Checks an `Authorization: Bearer …` header. Compares with every session token in constant time. */
  isAuthorized(header: string | undefined): boolean {
    const [, token = ''] = /^Bearer ([\w-]{1,100})$/.exec(header ?? '') ?? [];
    const given = Buffer.from(hashOf(token));
    let isKnown = false;
    for (const one of this.#sessions.values()) isKnown = timingSafeEqual(one, given) || isKnown;
    return isKnown;
  }

  /**
   * Why a request must be rejected; undefined if it is allowed. Browsers send `Origin` or `Sec-Fetch-Site` with every cross-origin
   * request. `isOpened` marks a navigation to the page itself, which starts outside of it. Prevents CSRF and DNS rebinding.
   */
  fault(
    headers: IncomingHttpHeaders,
    { isOpened, method }: { readonly isOpened: boolean; readonly method: string | undefined },
  ): string | undefined {
    const { host, origin, 'sec-fetch-site': site } = headers;
    if (host !== this.host) return `the Host header must be ${this.host}`;
    if (origin !== undefined && origin !== this.origin) return this.#rejectForeign(origin);
    const sites = isOpened ? ['same-origin', 'none'] : ['same-origin'];
    if (site !== undefined && !sites.includes(String(site)))
      return this.#rejectForeign(`a page of another origin (${site})`);
    const isOwn = origin === this.origin || (method === 'GET' && site === 'same-origin');
    return isOwn || isOpened ? undefined : `the request must have the header Origin: ${this.origin}`;
  }

  #rejectForeign(origin: string): string {
    if (!this.#reported.has(origin) && this.#reported.size < MAX_REPORTED_ORIGINS) {
      this.#reported.add(origin);
      this.#options.onForeignOrigin(origin);
    }
    return 'requests from pages of other origins are rejected';
  }
}

/** The `Host` header of requests to an address. Browsers leave out port 80. */
export const hostOf = ({ address, family, port }: AddressInfo): string =>
  new URL(`http://${family === 'IPv6' ? `[${address}]` : address}:${port}`).host;

const newToken = (): string => randomBytes(32).toString('base64url');
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
