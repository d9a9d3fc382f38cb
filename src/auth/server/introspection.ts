/** Verifies opaque tokens by introspection at their issuer (RFC 7662), and caches the response for a few seconds. */
import { badDefinition, McpError } from '../../errors.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { digestText } from '../../model/canonical.ts';
import { basicCredentials } from '../../model/challenge.ts';
import { checkOptions, type OptionNames } from '../../model/check-options.ts';
import type { Clock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { guardedWeb, type Web } from '../web/guarded-web.ts';
import type { FetchFunction } from '../web/http-sender.ts';
import type { Claims, TokenVerifier } from './token-verifier.ts';

/** Settings of `introspection`. */
export interface IntrospectionOptions {
  /** The issuer of the tokens, as in the metadata for clients and in `ctx.auth.issuer`. */
  readonly issuer: string;
  /** The introspection endpoint. */
  readonly endpoint: string;
  /** The credentials of this server at the endpoint. */
  readonly client: { readonly id: string; readonly secret: string };
  /** How long a response is cached, and therefore how long a revoked token is still accepted. Default: 5 s. 0 disables the cache. */
  readonly cacheMs?: number;
  /** Replaces the built-in HTTP client for requests to the issuer. */
  readonly fetch?: FetchFunction;
}

const introspectionOptionNames: OptionNames<IntrospectionOptions> = {
  ...{ issuer: true, endpoint: true, client: true, cacheMs: true, fetch: true },
};

/** Cached responses; the oldest is evicted first. */
const MAX_CACHED = 10_000;

/** Verifies tokens by introspection at their authorization server (RFC 7662). */
export function introspection(options: IntrospectionOptions): TokenVerifier {
  checkOptions('introspection({ issuer, endpoint, client })', options, introspectionOptionNames);
  const { issuer, endpoint, client, cacheMs = 5_000, fetch } = options;
  if (!URL.canParse(endpoint) || !isObject(client) || !URL.canParse(issuer))
    throw badDefinition('introspection', '"issuer" and "endpoint" must be URLs, and "client" must be { id, secret }');
  const web = guardedWeb({ from: new URL(endpoint), fetch });
  const cache = new Map<string, { readonly claims: Claims; readonly until: number }>();
  const pending = new Map<string, Promise<Claims | undefined>>();
  const store = (key: string, claims: Claims, clock: Clock): void => {
    const left = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 - clock.wall() : cacheMs;
    setNewest(cache, key, { claims, until: clock.now() + Math.min(cacheMs, left) }, MAX_CACHED);
  };
  const verify: TokenVerifier = async (token, { clock }) => {
    const key = await digestText(token);
    const known = cache.get(key);
    if (known !== undefined && known.until > clock.now()) return known.claims;
    const response = pending.get(key) ?? introspect(token, options, web).finally(() => pending.delete(key));
    pending.set(key, response);
    const claims = await response;
    if (claims !== undefined) store(key, claims, clock);
    return claims;
  };
  return Object.assign(verify, { issuer });
}

async function introspect(token: string, options: IntrospectionOptions, web: Web): Promise<Claims | undefined> {
  const { issuer, endpoint, client } = options;
  const headers = { authorization: basicCredentials(client.id, client.secret) };
  const body = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const { status, json } = await web({ step: 'introspection', method: 'POST', url: endpoint, headers, body });
  if (status !== 200 || !isObject(json)) {
    throw new McpError('MCP_AUTH_VERIFIER', { issuer, why: `introspection returned status ${status}` });
  }
  const { active, ...claims } = json;
  // `iss` is optional in the response.
  return active === true ? { iss: issuer, ...claims } : undefined;
}
