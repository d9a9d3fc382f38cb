/** The signing keys (JWKS) of an issuer, for `jwt`: fetched on first use, cached, and fetched again for an unknown key id. */
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { McpError } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Web } from '../web/guarded-web.ts';
import { issuerMetadataUrls } from '../web/well-known.ts';

/** Keys older than this are fetched again. */
const FRESH_MS = 10 * 60_000;
/** Minimum interval between two fetches for an unknown key id, and after a failed fetch. */
const COOLDOWN_MS = 30_000;
/** Maximum age of keys while the issuer is unreachable. */
const STALE_MS = 60 * 60_000;

export interface KeySource {
  readonly issuer: string;
  /** Where the keys are published. Undefined: `jwks_uri` of the issuer's metadata. */
  readonly jwksUri: string | undefined;
  readonly web: Web;
}

export class KeySet {
  readonly #source: KeySource;
  #cached: { readonly keys: JWTVerifyGetKey; readonly at: number } | undefined;
  #fetching: Promise<JWTVerifyGetKey> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When keys were last fetched for an unknown key id. */
  #refetchedAt = Number.NEGATIVE_INFINITY;

  constructor(source: KeySource) {
    this.#source = source;
  }

  /** A key resolver for jose. Searches the issuer's keys only, and calls `onUsed` with each set before searching it. */
  finder(clock: Clock, onUsed: (keys: JWTVerifyGetKey) => void): JWTVerifyGetKey {
    return async (header, token) => {
      const known = await this.current(clock);
      onUsed(known);
      const { errors } = await import('jose');
      try {
        return await known(header, token);
      } catch (thrown) {
        if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
        const newer = await this.#newerThan(known, clock);
        if (newer === undefined) throw thrown;
        onUsed(newer);
        return newer(header, token);
      }
    };
  }

  /** The current keys, fetched if necessary. Returns the same object until the next fetch, so that callers can cache by identity. */
  async current(clock: Clock): Promise<JWTVerifyGetKey> {
    const known = this.known(clock);
    if (known !== undefined) return known;
    const now = clock.now();
    const cached = this.#cached;
    try {
      return await this.#fetchOnce(clock);
    } catch (thrown) {
      this.#failedAt = now;
      if (cached !== undefined && now - cached.at < STALE_MS) return cached.keys;
      throw thrown;
    }
  }

  /** The current keys if no fetch is due, or undefined. */
  known(clock: Clock): JWTVerifyGetKey | undefined {
    const cached = this.#cached;
    if (cached === undefined) return undefined;
    const now = clock.now();
    const age = now - cached.at;
    return age < FRESH_MS || (age < STALE_MS && now - this.#failedAt < COOLDOWN_MS) ? cached.keys : undefined;
  }

  /** Newer keys, for an unknown key id. Fetches are rate limited, because an attacker can invent key ids. */
  async #newerThan(known: JWTVerifyGetKey, clock: Clock): Promise<JWTVerifyGetKey | undefined> {
    // Another token has caused a fetch meanwhile.
    if (this.#cached !== undefined && this.#cached.keys !== known) return this.#cached.keys;
    const now = clock.now();
    if (this.#fetching === undefined && now - this.#refetchedAt < COOLDOWN_MS) return undefined;
    this.#refetchedAt = now;
    return this.#fetchOnce(clock).catch(() => undefined);
  }

  /** Concurrent callers share one fetch. */
  #fetchOnce(clock: Clock): Promise<JWTVerifyGetKey> {
    this.#fetching ??= this.#fetch(clock).finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(clock: Clock): Promise<JWTVerifyGetKey> {
    const url = this.#source.jwksUri ?? (await this.#discoverUrl());
    const { status, json } = await this.#source.web({ step: 'keys of the issuer', method: 'GET', url });
    if (status !== 200) throw this.#unusable(`the request for its keys returned status ${status}`);
    if (!isKeySet(json)) throw this.#unusable('its response is not a JSON Web Key Set');
    const { createLocalJWKSet } = await import('jose');
    this.#cached = { keys: createLocalJWKSet(json), at: clock.now() };
    return this.#cached.keys;
  }

  async #discoverUrl(): Promise<string> {
    const { issuer, web } = this.#source;
    for (const url of issuerMetadataUrls(issuer)) {
      const { status, json } = await web({ step: 'authorization server metadata', method: 'GET', url });
      if (status !== 200 || !isObject(json)) continue;
      if (json['issuer'] !== issuer) throw this.#unusable('its metadata names another issuer');
      if (typeof json['jwks_uri'] === 'string') return json['jwks_uri'];
    }
    throw this.#unusable('its metadata has no "jwks_uri"; pass "jwksUri"');
  }

  #unusable(why: string): McpError {
    return new McpError('MCP_AUTH_VERIFIER', { issuer: this.#source.issuer, why });
  }
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  isObject(value) && Array.isArray(value['keys']) && value['keys'].every(isObject);
