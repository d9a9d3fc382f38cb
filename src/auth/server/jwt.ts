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

/** Verified tokens that are remembered; the oldest is dropped first. */
const MAX_TOKENS = 2_000;

/** Settings of `jwt`. */
export interface JwtOptions {
  /** Exactly as in tokens and metadata. */
  readonly issuer: string;
  /** Where its keys are published. Without it, the metadata of the issuer says. */
  readonly jwksUri?: string;
  /** RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** The accepted `typ` of a token; an ID token is not accepted. `at+jwt` and `JWT`. */
  readonly typ?: readonly string[];
  /** Used in place of our own connections to the issuer. */
  readonly fetch?: FetchFunction;
}

const jwtOptionNames: OptionNames<JwtOptions> = {
  ...{ issuer: true, jwksUri: true, algorithms: true, typ: true, fetch: true },
};

const ALGORITHMS: readonly string[] = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'];
const TYPES: readonly string[] = ['at+jwt', 'JWT'];

/** Verifies signed tokens (RFC 9068) with the keys that their issuer publishes. */
export function jwt(options: JwtOptions): TokenVerifier {
  checkOptions('jwt({ issuer })', options, jwtOptionNames);
  const { issuer, jwksUri, fetch } = options;
  const algorithms = [...(options.algorithms ?? ALGORITHMS)];
  const fault = urlFault(issuer) ?? (jwksUri === undefined ? undefined : urlFault(jwksUri)) ?? algFault(algorithms);
  if (fault !== undefined) throw badDefinition('jwt', fault);
  const types = new Set((options.typ ?? TYPES).map(typeOf));
  const keys = new KeySet({ issuer, jwksUri, web: guardedWeb({ from: new URL(jwksUri ?? issuer), fetch }) });
  // By key set: when the issuer publishes other keys, every token is verified again.
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
    // Keys come from the issuer only: an attacker can write `jku`, `x5u` and `jwk` in the header.
    const { payload, protectedHeader } = await jose
      .jwtVerify(token, keys.finder(clock, onUsed), rules)
      .catch((thrown: unknown) => {
        if (!(thrown instanceof jose.errors.JWKSMultipleMatchingKeys)) throw thrown;
        return verifyWithAny(jose, token, thrown, rules);
      })
      .catch((thrown: unknown) => {
        // Keys that cannot be fetched are not the fault of the token; a caller who names a published key that is unusable must not cause a 503.
        if (thrown instanceof McpError) throw thrown;
        const isOfToken = thrown instanceof jose.errors.JOSEError;
        throw new InvalidToken(isOfToken ? reasonOf(thrown) : `a key of its issuer cannot be used (${thrown})`);
      });
    const typ: unknown = protectedHeader.typ ?? '';
    if (typeof typ !== 'string' || !types.has(typeOf(typ)))
      throw new InvalidToken('its "typ" is not that of an access token');
    return deepFreeze<Claims>(payload);
  };
  const find = (current: object | undefined, id: string, moment: VerificationTime): Claims | undefined => {
    const known = current && verified.get(current)?.get(id);
    const isValid = Number(known?.['exp']) * 1000 + moment.clockSkewMs > moment.clock.wall();
    return isValid ? known : undefined;
  };
  const verifyNew = async (token: string, moment: VerificationTime, digest?: string): Promise<Claims> => {
    const { clock } = moment;
    const id = digest ?? (await digestText(token));
    const known = find(await keys.current(clock), id, moment);
    if (known !== undefined) return known;
    // Remembered for the keys that verified it: the issuer can have withdrawn them meanwhile.
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
  // A token that was verified before is found at once, where the runtime can hash at once: WebCrypto asks another thread.
  const verify: TokenVerifier = (token, moment) => {
    const id = hash?.('sha256', token, 'base64url');
    const known = id === undefined ? undefined : find(keys.known(moment.clock), id, moment);
    return known ?? verifyNew(token, moment, id);
  };
  return Object.assign(verify, { issuer });
}

/** A token need not name its key: while an issuer rotates its keys, either can have signed it. */
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
      // Other errors of the library are about the token; all else is about a key that cannot be used.
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

/** Compared as media types: case-insensitive, and `application/` is optional. */
const typeOf = (typ: string): string => typ.toLowerCase().replace(/^application\//, '');

/** The library's message names claims and algorithms, never their values. */
const reasonOf = ({ code, message }: { code: string; message: string }): string => `${code}: ${message}`;
