/** The keys of an issuer: fetched when needed, cached, and fetched again when one is missing. */
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { McpError } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Web } from '../web/guarded-web.ts';
import { issuerMetadataUrls } from '../web/well-known.ts';

/** How long keys are used before they are fetched again. */
const FRESH_MS = 10 * 60_000;
/** Between two fetches for a missing key, and after a failed fetch. */
const COOLDOWN_MS = 30_000;
/** How long keys are used while the issuer is unreachable. */
const STALE_MS = 60 * 60_000;

export interface KeySource {
  readonly issuer: string;
  /** Without it, the metadata of the issuer says. */
  readonly jwksUri: string | undefined;
  readonly web: Web;
}

export class KeySet {
  readonly #source: KeySource;
  #kept: { readonly keys: JWTVerifyGetKey; readonly at: number } | undefined;
  #fetching: Promise<JWTVerifyGetKey> | undefined;
  /** The last failed fetch, and the last fetch for a missing key. */
  #failedAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(source: KeySource) {
    this.#source = source;
  }

  /** Finds the key that the header of a token names, among the keys of the issuer only. `onUsed` gets the set that it is looked for in. */
  finder(clock: Clock, onUsed: (keys: JWTVerifyGetKey) => void): JWTVerifyGetKey {
    return async (header, token) => {
      const known = await this.current(clock);
      onUsed(known);
      const { errors } = await import('jose');
      try {
        return await known(header, token);
      } catch (thrown) {
        if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
        const newer = await this.#newer(clock);
        if (newer === undefined) throw thrown;
        onUsed(newer);
        return newer(header, token);
      }
    };
  }

  /** The current keys: the same object until they are fetched again. */
  async current(clock: Clock): Promise<JWTVerifyGetKey> {
    const known = this.known(clock);
    if (known !== undefined) return known;
    const now = clock.now();
    const kept = this.#kept;
    try {
      return await this.#fetchOnce(clock);
    } catch (thrown) {
      this.#failedAt = now;
      if (kept !== undefined && now - kept.at < STALE_MS) return kept.keys;
      throw thrown;
    }
  }

  /** The current keys, where they need not be fetched. */
  known(clock: Clock): JWTVerifyGetKey | undefined {
    const kept = this.#kept;
    if (kept === undefined) return undefined;
    const now = clock.now();
    const age = now - kept.at;
    return age < FRESH_MS || (age < STALE_MS && now - this.#failedAt < COOLDOWN_MS) ? kept.keys : undefined;
  }

  /** The issuer can have a new key; but an attacker can invent key ids, so this is rate limited. */
  async #newer(clock: Clock): Promise<JWTVerifyGetKey | undefined> {
    const now = clock.now();
    if (now - this.#lookedAt < COOLDOWN_MS) return undefined;
    this.#lookedAt = now;
    return this.#fetchOnce(clock).catch(() => undefined);
  }

  /** One fetch for all concurrent callers. */
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
    this.#kept = { keys: createLocalJWKSet(json), at: clock.now() };
    return this.#kept.keys;
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
