/** `bearer({...})`: authenticates every request by its token. */
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
import { type Clock, systemClock } from '../../peer/clock.ts';
import { ClaimsReader, claimsFault } from './claims.ts';
import { DpopProofChecker, PROOF_ALGORITHMS } from './dpop-proof-checker.ts';
import { bindingFault, boundKey, type PresentedToken, readAuthorization } from './presented-token.ts';
import { type ProtectedResourceOptions, protectedResource } from './protected-resource.ts';
import {
  type BearerRejection,
  type ChallengeFacts,
  type RejectedToken,
  reportRejection,
  toRejection,
} from './rejection.ts';
import { type Claims, InvalidToken, type TokenVerifier } from './token-verifier.ts';
import type { ProofLog } from './used-proofs.ts';

/** Which tokens are accepted, and how they are verified. */
export interface BearerOptions
  extends Partial<
    Pick<ProtectedResourceOptions, 'scopesSupported' | 'authorizationServers' | 'name' | 'documentation'>
  > {
  /** `jwt(…)`, `introspection(…)`, or a function of your own. */
  readonly verify: TokenVerifier;
  /** The URL of this endpoint, as clients use it. Tokens must have it as their audience; the metadata for clients is derived from it. */
  readonly audience: string;
  /** Required for every request. */
  readonly scopes?: readonly string[];
  /** Scopes that include others: `{ 'orders:write': ['orders:read'] }`. */
  readonly implies?: Readonly<Record<string, readonly string[]>>;
  /** `realm` of the challenge. */
  readonly realm?: string;
  /** Accepts tokens that are bound to a key (DPoP), or accepts only these. Neither by default. */
  readonly dpop?: 'accepted' | 'required';
  /** DPoP proofs must have a nonce of this server. Several processes behind one URL share a key of 32 bytes. */
  readonly nonces?: true | Uint8Array<ArrayBuffer>;
  /** Where used DPoP proofs are remembered. In this process by default; several behind one URL share a log, such as that of `mooring/redis`. */
  readonly proofLog?: ProofLog;
  /** How far the clocks of two machines can be apart. 60 s. */
  readonly clockSkewMs?: number;
  /** The metadata of the authorization server. This server publishes it too: clients of the first revision with authorization look only here. */
  readonly authorizationServerMetadata?: JsonObject;
  /** Called for every rejected request, with the reason. Clients get few details; this is for your log, without anything of the token. */
  readonly onRejected?: (refusal: BearerRejection) => void;
  readonly clock?: Clock;
}

const bearerOptionNames: OptionNames<BearerOptions> = {
  ...{ verify: true, audience: true, scopes: true, scopesSupported: true, implies: true, realm: true, dpop: true },
  ...{ nonces: true, proofLog: true, clockSkewMs: true, authorizationServers: true },
  ...{ authorizationServerMetadata: true, name: true, documentation: true, onRejected: true, clock: true },
};

/** Accepts requests with a token for this server; a rejection says where to get one. */
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
  const checker = new TokenChecker({
    verify,
    scopes: mergeScopes(scopes),
    accepted: { audience, issuers: authorizationServers, clock, clockSkewMs },
    reader: new ClaimsReader(new Map(Object.entries(options.implies ?? {}))),
    proofs:
      dpop === undefined
        ? undefined
        : new DpopProofChecker({ audience, clock, clockSkewMs, nonces, log: options.proofLog }),
    challenge: { realm, metadataUrl: url, dpop, onRejected },
  });
  const documents = new Map([[path, document]]);
  const { authorizationServerMetadata: metadata } = options;
  if (metadata !== undefined) documents.set('/.well-known/oauth-authorization-server', metadata);
  return Object.assign((request: AuthRequest) => checker.authenticate(request), {
    documents,
    insufficient: (needed: readonly string[], auth: AuthInfo) => checker.insufficient(needed, auth),
  });
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

interface TokenCheckerOptions {
  readonly verify: TokenVerifier;
  readonly scopes: readonly string[];
  readonly accepted: Parameters<typeof claimsFault>[1];
  readonly reader: ClaimsReader;
  readonly proofs: DpopProofChecker | undefined;
  readonly challenge: ChallengeFacts;
}

class TokenChecker {
  readonly #facts: TokenCheckerOptions;

  constructor(facts: TokenCheckerOptions) {
    this.#facts = facts;
  }

  /** At once where the token was verified before. */
  authenticate(request: AuthRequest): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection> {
    const presented = readAuthorization(request);
    if (typeof presented === 'string') return this.#reject({ status: 400, error: 'invalid_request', why: presented });
    if (presented === undefined || (presented.scheme === 'dpop' && this.#facts.proofs === undefined))
      return this.#reject({ status: 401, why: 'there are no credentials of a supported scheme' });
    const claims = this.#verify(presented.token);
    return claims instanceof Promise
      ? claims.then((verified) => this.#judge(request, presented, verified))
      : this.#judge(request, presented, claims);
  }

  #judge(
    request: AuthRequest,
    presented: PresentedToken,
    claims: Claims | string,
  ): AuthInfo | AuthRejection | Promise<AuthInfo | AuthRejection> {
    const { proofs, scopes, reader, challenge } = this.#facts;
    if (typeof claims === 'string') return this.#reject({ status: 401, error: 'invalid_token', why: claims });
    const unbound = bindingFault(presented, claims, challenge.dpop);
    if (unbound !== undefined) return this.#reject({ status: 401, error: 'invalid_token', why: unbound });
    const auth = reader.read(claims, presented.token);
    const missing = missingScopes(scopes, auth.scopes);
    const judged = (): AuthInfo | AuthRejection => (missing.length === 0 ? auth : this.insufficient([], auth));
    if (presented.scheme !== 'dpop' || proofs === undefined) return judged();
    const proof = { request, token: presented.token, jkt: boundKey(claims) ?? '' };
    return proofs.fault(proof).then(async (fault) => {
      if (fault === undefined) return judged();
      return this.#reject({ status: 401, ...fault, auth, headers: await proofs.nonceHeader() });
    });
  }

  /** Names the scopes of the endpoint and of the request together, so that one more sign-in is enough. */
  insufficient(needed: readonly string[], auth: AuthInfo): AuthRejection {
    const scopes = mergeScopes(this.#facts.scopes, needed);
    const why = `it lacks ${missingScopes(scopes, auth.scopes).join(' ')}`;
    return this.#reject({ status: 403, error: 'insufficient_scope', why, scopes, auth });
  }

  /** The claims of the token, or why it is rejected. */
  #verify(token: string): Claims | string | Promise<Claims | string> {
    const { verify, accepted } = this.#facts;
    const fail = (thrown: unknown): string => this.#faultOf(thrown, token);
    try {
      const claims = verify(token, accepted);
      // No claim is a function, so this is the promise of a verifier, of whatever library.
      if (typeof claims?.['then'] !== 'function') return this.#checkClaims(claims as Claims | undefined);
      return Promise.resolve(claims)
        .then((found) => this.#checkClaims(found))
        .catch(fail);
    } catch (thrown) {
      return fail(thrown);
    }
  }

  #checkClaims(claims: Claims | undefined): Claims | string {
    if (!isObject(claims)) return 'the verifier does not accept it';
    return claimsFault(claims, this.#facts.accepted) ?? claims;
  }

  #faultOf(thrown: unknown, token: string): string {
    if (thrown instanceof InvalidToken) return thrown.message;
    const id = crypto.randomUUID().slice(0, 8);
    const why = String(thrown instanceof Error ? thrown.message : thrown).replaceAll(token, '…');
    reportRejection({ id, status: 503, error: undefined, why }, this.#facts.challenge.onRejected);
    throw thrown;
  }

  #reject(refused: Omit<RejectedToken, 'scopes'> & Partial<Pick<RejectedToken, 'scopes'>>): AuthRejection {
    return toRejection({ scopes: this.#facts.scopes, ...refused }, this.#facts.challenge);
  }
}
