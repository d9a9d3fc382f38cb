/** Tokens that say nothing: whoever issued them is asked (RFC 7662), and believed for a few seconds. */
import { McpError } from '../../errors.ts';
import { toBase64 } from '../../model/base64.ts';
import { digestText } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import { guardedWeb } from '../web/guarded-web.ts';
import type { FetchFunction } from '../web/http-sender.ts';
import { isObject } from '../web/json.ts';
import type { Web } from '../web/web.ts';
import type { Claims, TokenVerifier } from './token-verifier.ts';

/** Settings of `introspection`. */
export interface IntrospectionOptions {
  /** Whose tokens these are: what clients find in the metadata, and what `ctx.auth.issuer` says. */
  readonly issuer: string;
  /** Where to ask. */
  readonly endpoint: string;
  /** Who asks. */
  readonly client: { readonly id: string; readonly secret: string };
  /** How long an answer is believed, and so how long a revoked token may still be used. 5 s; 0 asks every time. */
  readonly cacheMs?: number;
  /** Used in place of our own connections to the issuer. */
  readonly fetch?: FetchFunction;
}

interface CachedIntrospection {
  readonly claims: Claims;
  readonly until: number;
}

/** Answers that are kept at once; the oldest goes first. */
const MAX_KEPT = 10_000;

/** Asks the authorization server about each token (RFC 7662). */
export function introspection(options: IntrospectionOptions): TokenVerifier {
  const { issuer, endpoint, cacheMs = 5_000, fetch } = options;
  if (!URL.canParse(endpoint) || !(cacheMs >= 0)) {
    const why = '"endpoint" must be a URL, and "cacheMs" must not be negative';
    throw new McpError('MCP_BAD_DEFINITION', { what: 'introspection', why });
  }
  const web = guardedWeb({ from: new URL(endpoint), fetch });
  const kept = new Map<string, CachedIntrospection>();
  const asking = new Map<string, Promise<Claims | undefined>>();
  const keep = (key: string, claims: Claims, clock: Clock): void => {
    const left = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 - clock.wall() : cacheMs;
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, { claims, until: clock.now() + Math.min(cacheMs, left) });
  };
  const verify: TokenVerifier = async (token, { clock }) => {
    const key = await digestText(token);
    const known = kept.get(key);
    if (known !== undefined && known.until > clock.now()) return known.claims;
    kept.delete(key);
    let answer = asking.get(key);
    if (answer === undefined) {
      answer = introspect(token, options, web).finally(() => asking.delete(key));
      asking.set(key, answer);
    }
    const claims = await answer;
    if (claims !== undefined) keep(key, claims, clock);
    return claims;
  };
  return Object.assign(verify, { issuer });
}

async function introspect(token: string, options: IntrospectionOptions, web: Web): Promise<Claims | undefined> {
  const { issuer, endpoint, client } = options;
  const credentials = new TextEncoder().encode(`${formEncoded(client.id)}:${formEncoded(client.secret)}`);
  const { status, json } = await web({
    step: 'introspection',
    method: 'POST',
    url: endpoint,
    headers: { authorization: `Basic ${toBase64(credentials)}`, accept: 'application/json' },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
  });
  if (status !== 200 || !isObject(json)) {
    throw new McpError('MCP_AUTH_VERIFIER', { issuer, why: `introspection was answered with status ${status}` });
  }
  const { active, ...claims } = json;
  // An issuer need not repeat its own name.
  return active === true ? { iss: issuer, ...claims } : undefined;
}

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
