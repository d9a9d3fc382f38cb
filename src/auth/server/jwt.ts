/** Verifies JWT access tokens (RFC 9068). */
import type { JWTVerifyOptions, JWTVerifyResult } from 'jose';
import { badDefinition, McpError } from '../../errors.ts';
import { digestText } from '../../model/canonical.ts';
import { checkOptions, type OptionNames } from '../../model/check-options.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { isNode } from '../../peer/runtime.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { guardedWeb } from '../web/guarded-web.ts';
import type { FetchFunction } from '../web/http-sender.ts';
import { KeySet } from './key-set.ts';
import { type Claims, InvalidToken, type TokenVerifier, type VerificationTime } from './token-verifier.ts';

/** Cached claims of verified tokens, per key set; the oldest are evicted first. */
const MAX_TOKENS = 2_000;

/** Settings of `jwt`. */
export interface JwtOptions {
  /** The issuer, exactly as in its tokens and metadata. */
  readonly issuer: string;
  /** The URL of the issuer's keys. Default: `jwks_uri` of its metadata. */
  readonly jwksUri?: string;
  /** Accepted signature algorithms. Default: RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Accepted values of the `typ` header. Default: `at+jwt` and `JWT`. A token without `typ` is rejected. */
  readonly typ?: readonly string[];
  /** Replaces the built-in HTTP client for requests to the issuer. */
  readonly fetch?: FetchFunction;
}

const jwtOptionNames: OptionNames<JwtOptions> = {
  ...{ issuer: true, jwksUri: true, algorithms: true, typ: true, fetch: true },
};

const ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const TYPES: readonly string[] = ['at+jwt', 'JWT'];

/** Verifies JWT access tokens (RFC 9068) with the keys that their issuer publishes. */
export function jwt(options: JwtOptions): TokenVerifier {
  checkOptions('jwt({ issuer })', options, jwtOptionNames);
  const { issuer, jwksUri, fetch } = options;
  const algorithms = [...(options.algorithms ?? ALGORITHMS)];
  const fault = urlFault(issuer) ?? (jwksUri === undefined ? undefined : urlFault(jwksUri)) ?? algFault(algorithms);
  if (fault !== undefined) throw badDefinition('jwt', fault);
  const types = new Set((options.typ ?? TYPES).map(typeOf));
  const keys = new KeySet({ issuer, jwksUri, web: guardedWeb({ from: new URL(jwksUri ?? issuer), fetch }) });
  // Cached per key set: when the issuer changes its keys, every token is verified again.
  const verified = new WeakMap<object, Map<string, Claims>>();
  const verifySignature = async (
    token: string,
    { clock, clockSkewMs }: VerificationTime,
    onUsed: (keys: object) => void,
  ): Promise<Claims> => {
    const jose = await import('jose');
    const rules: JWTVerifyOptions = {
      issuer,
      algorithms,
      clockTolerance: clockSkewMs / 1000,
      currentDate: new Date(clock.wall()),
      requiredClaims: ['exp', 'aud'],
    };
    // Uses keys of the issuer only: `jku`, `x5u` and `jwk` in the header are under the attacker's control.
    const { payload, protectedHeader } = await jose
      .jwtVerify(token, keys.finder(clock, onUsed), rules)
      .catch((thrown: unknown) => {
        if (!(thrown instanceof jose.errors.JWKSMultipleMatchingKeys)) throw thrown;
        return verifyWithAny(jose, token, thrown, rules);
      })
      .catch((thrown: unknown) => {
        // Failing to fetch keys is a server error (503). A token that names an unusable published key is only invalid: a caller must not cause a 503.
        if (thrown instanceof McpError) throw thrown;
        const isTokenError = thrown instanceof jose.errors.JOSEError;
        throw new InvalidToken(isTokenError ? reasonOf(thrown) : `a key of its issuer cannot be used (${thrown})`);
      });
    const typ: unknown = protectedHeader.typ ?? '';
    if (typeof typ !== 'string' || !types.has(typeOf(typ)))
      throw new InvalidToken('its "typ" is not that of an access token');
    return deepFreeze<Claims>(payload);
  };
  const findVerified = (current: object | undefined, id: string, moment: VerificationTime): Claims | undefined => {
    const known = current && verified.get(current)?.get(id);
    const isValid = Number(known?.['exp']) * 1000 + moment.clockSkewMs > moment.clock.wall();
    return isValid ? known : undefined;
  };
  const verifyNew = async (token: string, moment: VerificationTime, digest?: string): Promise<Claims> => {
    const { clock } = moment;
    const id = digest ?? (await digestText(token));
    const known = findVerified(await keys.current(clock), id, moment);
    if (known !== undefined) return known;
    // Cached for the key set that verified the token: the issuer can withdraw those keys during the verification.
    let used: object = keys;
    const claims = await verifySignature(token, moment, (found) => {
      used = found;
    });
    const tokens = verified.get(used) ?? new Map<string, Claims>();
    verified.set(used, tokens);
    setNewest(tokens, id, claims, MAX_TOKENS);
    return claims;
  };
  const hash = nodeHash();
  // On Node, a cached token is found synchronously; WebCrypto can only hash asynchronously, on another thread.
  const verify: TokenVerifier = (token, moment) => {
    const id = hash?.('sha256', token, 'base64url');
    const known = id === undefined ? undefined : findVerified(keys.known(moment.clock), id, moment);
    return known ?? verifyNew(token, moment, id);
  };
  return Object.assign(verify, { issuer });
}

/** Tries each matching key. A token without `kid` can be signed by any of them, for example during key rotation. */
async function verifyWithAny(
  jose: typeof import('jose'),
  token: string,
  keys: AsyncIterable<CryptoKey>,
  rules: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  for await (const key of keys) {
    try {
      return await jose.jwtVerify(token, key, rules);
    } catch (thrown) {
      // A wrong signature or an unusable key: tries the next one. Any other error of jose rejects the token itself.
      const { JOSEError, JWSSignatureVerificationFailed } = jose.errors;
      if (thrown instanceof JOSEError && !(thrown instanceof JWSSignatureVerificationFailed)) throw thrown;
    }
  }
  throw new jose.errors.JWSSignatureVerificationFailed();
}

function nodeHash(): typeof import('node:crypto').hash | undefined {
  return isNode() ? process.getBuiltinModule('node:crypto').hash : undefined;
}

const urlFault = (url: string): string | undefined => (URL.canParse(url) ? undefined : `"${url}" is not a URL`);

function algFault(algorithms: readonly string[]): string | undefined {
  const symmetric = algorithms.find((alg) => /hs\d|none/i.test(alg));
  if (symmetric === undefined) return undefined;
  return `"${symmetric}" is not asymmetric: a key that verifies could also sign. Use an algorithm such as ES256`;
}

/** Normalizes `typ` as a media type: case-insensitive, and `application/` is optional. */
const typeOf = (typ: string): string => typ.toLowerCase().replace(/^application\//, '');

/** Safe to log: messages of jose name claims and algorithms, never their values. */
const reasonOf = ({ code, message }: { code: string; message: string }): string => `${code}: ${message}`;
