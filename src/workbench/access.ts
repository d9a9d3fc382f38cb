/** Who can talk to the workbench: its own page, from its own address, with a token. Everything else is rejected before it is read. */
import { Buffer } from 'node:buffer';
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../peer/clock.ts';
import { setNewest } from '../peer/set-newest.ts';

/** How long the token in the URL of a start can be exchanged. */
const START_MS: number = 2 * 60_000;
/** The oldest is forgotten beyond this. */
const MAX_TOKENS = 100;
const MAX_NAMED_ORIGINS = 100;

export interface AccessOptions {
  readonly clock: Clock;
  /** Gets the origin of a page that is rejected, once for each. */
  onForeign(origin: string): void;
}

export class Access {
  readonly #options: AccessOptions;
  /** Tokens by their hash, so that looking one up says nothing about it. */
  readonly #starts: Map<string, number> = new Map();
  readonly #sessions: Map<string, true> = new Map();
  readonly #named: Set<string> = new Set();
  /** `127.0.0.1:4460`; known when the port is. */
  host = '';

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  get origin(): string {
    return `http://${this.host}`;
  }

  /** A URL for one more page. The token is in the fragment, which reaches no log and no `Referer`. */
  invite(): string {
    const token = newToken();
    setNewest(this.#starts, hashOf(token), this.#options.clock.now() + START_MS, MAX_TOKENS);
    return `${this.origin}/#t=${token}`;
  }

  /** The token of a session for that of a start, once; undefined for any other. */
  exchange(start: string): string | undefined {
    const key = hashOf(start);
    const until = this.#starts.get(key);
    this.#starts.delete(key);
    if (until === undefined || this.#options.clock.now() > until) return undefined;
    const token = newToken();
    setNewest(this.#sessions, hashOf(token), true, MAX_TOKENS);
    return token;
  }

  /** Of `Authorization: Bearer …`. */
  knows(header: string | undefined): boolean {
    const [, token = ''] = /^Bearer ([\w-]{1,100})$/.exec(header ?? '') ?? [];
    const given = Buffer.from(hashOf(token));
    let isKnown = false;
    for (const one of this.#sessions.keys()) isKnown = timingSafeEqual(Buffer.from(one), given) || isKnown;
    return isKnown;
  }

  /**
   * Why a request is rejected; undefined where it can pass. A page of another origin always sends `Origin` or `Sec-Fetch-Site`
   * with what it may send at all. `isOpened` is for the page itself, which a user opens from elsewhere.
   */
  fault(headers: IncomingHttpHeaders, { isOpened, method }: RequestKind): string | undefined {
    const { host, origin, 'sec-fetch-site': site } = headers;
    if (host !== this.host) return `the host is ${this.host}`;
    if (origin !== undefined && origin !== this.origin) return this.#foreign(origin);
    const sites = isOpened ? ['same-origin', 'none'] : ['same-origin'];
    if (site !== undefined && !sites.includes(String(site))) return this.#foreign(`a page of another origin (${site})`);
    const isOwn = origin === this.origin || (method === 'GET' && site === 'same-origin');
    return isOwn || isOpened ? undefined : 'a page says where it comes from';
  }

  #foreign(origin: string): string {
    if (!this.#named.has(origin) && this.#named.size < MAX_NAMED_ORIGINS) {
      this.#named.add(origin);
      this.#options.onForeign(origin);
    }
    return 'pages of other origins get nothing';
  }
}

export interface RequestKind {
  readonly method: string | undefined;
  readonly isOpened: boolean;
}

const newToken = (): string => randomBytes(32).toString('base64url');
const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');
