/** `bearer({...})`: authenticates HTTP requests by their access token. */
import { badDefinition } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import {
  type Authenticator,
  type AuthRejection,
  type AuthRequest,
  mergeScopes,
  missingScopes,
  scopesFault,
} from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { checkOptions, type OptionNames } from '../../model/check-options.ts';
import { valueKind } from '../../model/value-kind.ts';
import { callHook } from '../../peer/call-hook.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { Warnings } from '../../peer/warnings.ts';
import { type AcceptedClaims, claimsFault, claimsReader, verifierFault } from './claims.ts';
import { DpopProofChecker, PROOF_ALGORITHMS } from './dpop-proof-checker.ts';
import { bindingFault, boundKey, type PresentedToken, readAuthorization } from './presented-token.ts';
import { type ProtectedResourceOptions, protectedResource } from './protected-resource.ts';
import { type BearerRejection, type ChallengeSettings, type RejectedToken, toRejection } from './rejection.ts';
import { type Claims, InvalidToken, type TokenVerifier } from './token-verifier.ts';
import type { ProofLog } from './used-proofs.ts';

/** Which tokens are accepted, and how they are verified. */
export interface BearerOptions
  extends Partial<
    Pick<ProtectedResourceOptions, 'scopesSupported' | 'authorizationServers' | 'name' | 'documentation'>
  > {
  /** `jwt(…)`, `introspection(…)`, or a function of your own. */
  readonly verify: TokenVerifier;
  /** The public URL of this endpoint. Tokens must have it as their audience, and the metadata for clients is derived from it. */
  readonly audience: string;
  /** Scopes that every request needs. */
  readonly scopes?: readonly string[];
  /** Scopes that include others: `{ 'orders:write': ['orders:read'] }`. */
  readonly implies?: Readonly<Record<string, readonly string[]>>;
  /** `realm` of the challenge. */
  readonly realm?: string;
  /** Accepts tokens that are bound to a key (DPoP), or requires them. Default: DPoP is not supported. */
  readonly dpop?: 'accepted' | 'required';
  /** Requires a nonce of this server in DPoP proofs. Several processes behind one URL must share a key of 32 bytes. */
  readonly nonces?: true | Uint8Array<ArrayBuffer>;
  /** Remembers used DPoP proofs. Default: in this process. Several processes behind one URL must share a log, such as that of `mooring/redis`. */
  readonly proofLog?: ProofLog;
  /** Allowed clock difference between machines. Default: 60 s. */
  readonly clockSkewMs?: number;
  /** The metadata of the authorization server. This server publishes a copy, because clients of the first revision with authorization look for it only here. */
  readonly authorizationServerMetadata?: JsonObject;
  /** Called for every rejected request with the detailed reason, which clients do not get. Contains no part of the token. */
  readonly onRejected?: (refusal: BearerRejection) => void;
  readonly clock?: Clock;
}

const bearerOptionNames: OptionNames<BearerOptions> = {
  ...{ verify: true, audience: true, scopes: true, scopesSupported: true, implies: true, realm: true, dpop: true },
  ...{ nonces: true, proofLog: true, clockSkewMs: true, authorizationServers: true },
  ...{ authorizationServerMetadata: true, name: true, documentation: true, onRejected: true, clock: true },
};

/** Authenticates requests by their access token. The challenge of a rejection tells clients where to get one. */
export function bearer(options: BearerOptions): Authenticator {
  checkOptions('bearer({ verify, audience })', options, bearerOptionNames);
  const { verify, audience, dpop, scopes = [], nonces } = options;
  if (typeof verify !== 'function')
    throw badDefinition('bearer', `"verify" must be a function, such as jwt({ issuer }), not ${valueKind(verify)}`);
  if (typeof audience !== 'string')
    throw badDefinition('bearer', `"audience" must be the URL of this endpoint, not ${valueKind(audience)}`);
  const authorizationServers = options.authorizationServers ?? (verify.issuer === undefined ? [] : [verify.issuer]);
  const { path, url, document } = protectedResource({
    ...options,
    resource: audience,
    authorizationServers,
    scopesSupported: options.scopesSupported ?? scopes,
    ...(dpop && { proofs: { algorithms: PROOF_ALGORITHMS, required: dpop === 'required' } }),
  });
  const fault = optionsFault(options, authorizationServers);
  if (fault !== undefined) throw badDefinition('bearer', fault);
  const { realm, onRejected, clock = systemClock, clockSkewMs = 60_000 } = options;
  const rules = { audience, clock, clockSkewMs, nonces, log: options.proofLog };
  const documents = new Map([[path, document]]);
  const { authorizationServerMetadata: metadata } = options;
  if (metadata !== undefined) documents.set('/.well-known/oauth-authorization-server', metadata);
  const authenticate = tokenChecker({
    verify,
    scopes: mergeScopes(scopes),
    accepted: { audience, issuers: authorizationServers, clock, clockSkewMs },
    readClaims: claimsReader(new Map(Object.entries(options.implies ?? {}))),
    proofs: dpop === undefined ? undefined : new DpopProofChecker(rules),
    challenge: { realm, metadataUrl: url, dpop, onRejected },
  });
  return Object.assign(authenticate, { documents });
}

function optionsFault(options: BearerOptions, authorizationServers: readonly string[]): string | undefined {
  const { verify, scopes, nonces, dpop } = options;
  if (verify.issuer !== undefined && !authorizationServers.includes(verify.issuer))
    return `"authorizationServers" must name ${verify.issuer}, or clients get tokens that are never accepted`;
  if (nonces !== undefined && dpop === undefined)
    return '"nonces" are for DPoP proofs; set dpop to "accepted" or "required"';
  if (options.proofLog !== undefined && dpop === undefined)
    return '"proofLog" remembers DPoP proofs; set dpop to "accepted" or "required"';
  if (nonces instanceof Uint8Array && nonces.length < 32) return '"nonces" must be a key of 32 bytes';
  return scopesFault(scopes);
}

interface CheckerParts {
  readonly verify: TokenVerifier;
  readonly scopes: readonly string[];
  readonly accepted: AcceptedClaims;
  readonly readClaims: ReturnType<typeof claimsReader>;
  readonly proofs: DpopProofChecker | undefined;
  readonly challenge: ChallengeSettings;
}

function tokenChecker({ verify, scopes, accepted, readClaims, proofs, challenge }: CheckerParts): Authenticator {
  const warnings = new Warnings(undefined);
  const reject = (refused: Omit<RejectedToken, 'scopes'> & Partial<Pick<RejectedToken, 'scopes'>>): AuthRejection =>
    toRejection({ scopes, ...refused }, challenge);

  /** Requests the scopes of the endpoint and of the operation together, so that one more sign-in is enough. */
  function insufficient(needed: readonly string[], auth: AuthInfo): AuthRejection {
    const all = mergeScopes(scopes, needed);
    const why = `it lacks ${missingScopes(all, auth.scopes).join(' ')}`;
    return reject({ status: 403, error: 'insufficient_scope', why, scopes: all, auth });
  }

  function checkClaims(claims: Claims | undefined): Claims | string {
    const fault = isObject(claims) ? claimsFault(claims, accepted) : 'the verifier does not accept it';
    if (fault === undefined) return claims as Claims; // an object, or it had a fault
    // No token can succeed with such a verifier, so its author learns of it without `onRejected` too.
    const mistake = verifierFault(claims);
    if (mistake !== undefined)
      warnings.once(
        `"verify" of bearer() returned ${mistake}, and callers get 401. Return the claims of a JWT: { iss, aud, sub, scope, exp }, with "exp" in seconds`,
      );
    return fault;
  }

  function faultOf(thrown: unknown, token: string): string {
    if (thrown instanceof InvalidToken) return thrown.message;
    const id = crypto.randomUUID().slice(0, 8);
    const why = String(thrown instanceof Error ? thrown.message : thrown).replaceAll(token, '…');
    callHook(() => challenge.onRejected?.({ id, status: 503, error: undefined, why }));
    throw thrown;
  }

  /** The claims of the token, or why it is rejected. */
  function verifyToken(token: string): Claims | string | Promise<Claims | string> {
    try {
      const claims = verify(token, accepted);
      // Claims are JSON, so a function named `then` means a thenable of any library.
      if (typeof claims?.['then'] !== 'function') return checkClaims(claims as Claims | undefined);
      return Promise.resolve(claims)
        .then(checkClaims)
        .catch((thrown: unknown) => faultOf(thrown, token));
    } catch (thrown) {
      return faultOf(thrown, token);
    }
  }

  function authorize(
    request: AuthRequest,
    presented: PresentedToken,
    claims: Claims | string,
  ): ReturnType<Authenticator> {
    if (typeof claims === 'string') return reject({ status: 401, error: 'invalid_token', why: claims });
    const unbound = bindingFault(presented, claims, challenge.dpop);
    if (unbound !== undefined) return reject({ status: 401, error: 'invalid_token', why: unbound });
    const auth = readClaims(claims, presented.token);
    const missing = missingScopes(scopes, auth.scopes);
    const checkScopes = (): AuthInfo | AuthRejection => (missing.length === 0 ? auth : insufficient([], auth));
    if (presented.scheme !== 'dpop' || proofs === undefined) return checkScopes();
    const proof = { request, token: presented.token, jkt: boundKey(claims) ?? '' };
    return proofs.fault(proof).then(async (fault) => {
      if (fault === undefined) return checkScopes();
      return reject({ status: 401, ...fault, auth, headers: await proofs.nonceHeader() });
    });
  }

  /** Synchronous if the token is in the verifier's cache. */
  function authenticate(request: AuthRequest): ReturnType<Authenticator> {
    const presented = readAuthorization(request);
    if (typeof presented === 'string') return reject({ status: 400, error: 'invalid_request', why: presented });
    if (presented === undefined || (presented.scheme === 'dpop' && proofs === undefined))
      return reject({ status: 401, why: 'there are no credentials of a supported scheme' });
    const claims = verifyToken(presented.token);
    return claims instanceof Promise
      ? claims.then((verified) => authorize(request, presented, verified))
      : authorize(request, presented, claims);
  }
  return Object.assign(authenticate, { insufficient });
}
