/** The keys of an issuer: fetched when they are needed, kept for a while, and fetched again when one is missing. */
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { isObject } from '../web/json.ts';
import { metadataUrls } from '../web/metadata-urls.ts';
import type { Web } from '../web/web.ts';

/** How long keys are used without asking again. */
const FRESH_MS = 10 * 60_000;
/** Between two fetches for a key that is missing, or after one that failed. */
const COOLDOWN_MS = 30_000;
/** How long keys are used while nobody answers who could say that they changed. */
const STALE_MS = 60 * 60_000;

export interface KeySource {
  readonly issuer: string;
  /** From the issuer's metadata when it is not given. */
  readonly jwksUri: string | undefined;
  readonly web: Web;
}

interface CachedKeys {
  readonly keys: JWTVerifyGetKey;
  readonly at: number;
}

export class KeySet {
  readonly #source: KeySource;
  #kept: CachedKeys | undefined;
  #fetching: Promise<JWTVerifyGetKey> | undefined;
  /** When keys that could not be had were last asked for, and when one that was missing was last looked for. */
  #failedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(source: KeySource) {
    this.#source = source;
  }

  /** Finds the key that a token's header names, among those of the issuer and nowhere else. */
  finder(clock: Clock): JWTVerifyGetKey {
    return async (header, token) => {
      const known = await this.current(clock);
      const { errors } = await import('jose');
      try {
        return await known(header, token);
      } catch (thrown) {
        if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
        const newer = await this.#newer(clock);
        if (newer === undefined) throw thrown;
        return newer(header, token);
      }
    };
  }

  /** The keys as they are now: the same value for as long as they are the same. */
  async current(clock: Clock): Promise<JWTVerifyGetKey> {
    const now = clock.now();
    const kept = this.#kept;
    const age = kept === undefined ? Number.POSITIVE_INFINITY : now - kept.at;
    if (kept !== undefined && (age < FRESH_MS || (age < STALE_MS && now - this.#failedAt < COOLDOWN_MS)))
      return kept.keys;
    try {
      return await this.#fetched(clock);
    } catch (thrown) {
      this.#failedAt = now;
      if (kept !== undefined && age < STALE_MS) return kept.keys;
      throw thrown;
    }
  }

  /** The issuer may have another key by now; but anybody can make up the name of one. */
  async #newer(clock: Clock): Promise<JWTVerifyGetKey | undefined> {
    const now = clock.now();
    if (now - this.#lookedAt < COOLDOWN_MS) return undefined;
    this.#lookedAt = now;
    return this.#fetched(clock).catch(() => undefined);
  }

  /** Once for all who wait. */
  #fetched(clock: Clock): Promise<JWTVerifyGetKey> {
    this.#fetching ??= this.#fetch(clock).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(clock: Clock): Promise<JWTVerifyGetKey> {
    const jwks = await this.#json(this.#source.jwksUri ?? (await this.#discovered()), 'keys of the issuer');
    if (!isKeySet(jwks)) throw this.#unusable('what it gave is no set of keys');
    const { createLocalJWKSet } = await import('jose');
    this.#kept = { keys: createLocalJWKSet(jwks), at: clock.now() };
    return this.#kept.keys;
  }

  async #discovered(): Promise<string> {
    const { issuer, web } = this.#source;
    for (const url of metadataUrls(issuer)) {
      const { status, json } = await web({ step: 'authorization server metadata', method: 'GET', url });
      if (status !== 200 || !isObject(json)) continue;
      if (json['issuer'] !== issuer) throw this.#unusable('its metadata names another issuer');
      if (typeof json['jwks_uri'] === 'string') return json['jwks_uri'];
    }
    throw this.#unusable('no metadata of it names a "jwks_uri"; pass "jwksUri"');
  }

  async #json(url: string, step: string): Promise<unknown> {
    const { status, json } = await this.#source.web({ step, method: 'GET', url });
    if (status !== 200) throw this.#unusable(`its keys were answered with status ${status}`);
    return json;
  }

  #unusable(why: string): McpError {
    return new McpError('MCP_AUTH_VERIFIER', { issuer: this.#source.issuer, why });
  }
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  isObject(value) && Array.isArray(value['keys']) && value['keys'].every(isObject);
