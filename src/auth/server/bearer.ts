/** `bearer({...})`: judges the token of every request, for one resource. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import {
  type Authenticator,
  type AuthRejection,
  type AuthRequest,
  mergeScopes,
  missingScopes,
  scopesFault,
} from '../../model/auth.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { isObject } from '../web/json.ts';
import { claimsFault, toAuthInfo } from './claims.ts';
import { DpopProofChecker, PROOF_ALGORITHMS } from './dpop-proof-checker.ts';
import { type PresentedToken, readAuthorization } from './presented-token.ts';
import { type ProtectedResourceOptions, protectedResource } from './protected-resource.ts';
import {
  type BearerRejection,
  type ChallengeFacts,
  type RejectedToken,
  reportRejection,
  toRejection,
} from './rejection.ts';
import { type Claims, InvalidToken, type TokenVerifier } from './token-verifier.ts';

/** Whose tokens are taken, for what, and how they are verified. */
export interface BearerOptions
  extends Partial<
    Pick<ProtectedResourceOptions, 'scopesSupported' | 'authorizationServers' | 'name' | 'documentation'>
  > {
  /** `jwt(…)`, `introspection(…)`, or a function of your own. */
  readonly verify: TokenVerifier;
  /** This endpoint's URL, as clients know it. Tokens must be meant for it; everything that clients are told derives from it. */
  readonly audience: string;
  /** What every request needs. */
  readonly scopes?: readonly string[];
  /** Scopes that stand for others: `{ 'orders:write': ['orders:read'] }`. */
  readonly implies?: Readonly<Record<string, readonly string[]>>;
  /** What a person is told they sign in to. */
  readonly realm?: string;
  /** Tokens that are bound to a key: taken beside others, or only these. Not at all by default. */
  readonly dpop?: 'accepted' | 'required';
  /** Proofs must have a nonce of ours. A key of 32 bytes is shared by several processes that serve one address. */
  readonly nonces?: true | Uint8Array<ArrayBuffer>;
  /** How far the clocks of two machines may be apart. 60 s. */
  readonly clockSkewMs?: number;
  /**
   * The authorization server's own metadata, served beside the endpoint as well: clients of the oldest revision that has
   * authorization look for it here and nowhere else.
   */
  readonly authorizationServerMetadata?: JsonObject;
  /** Told why somebody was not let in. Clients are told little; this is for your log, and nothing of a token is in it. */
  readonly onRejected?: (refusal: BearerRejection) => void;
  readonly clock?: Clock;
}

/** Lets in whoever shows a token that is meant for this server; everybody else is told where to get one. */
export function bearer(options: BearerOptions): Authenticator {
  const { verify, audience, dpop, scopes = [], nonces } = options;
  const authorizationServers = options.authorizationServers ?? (verify.issuer === undefined ? [] : [verify.issuer]);
  const proofs = dpop && { algorithms: PROOF_ALGORITHMS, required: dpop === 'required' };
  const { path, url, document } = protectedResource({
    ...options,
    resource: audience,
    authorizationServers,
    scopesSupported: options.scopesSupported ?? scopes,
    ...(proofs === undefined ? {} : { proofs }),
  });
  const fault = optionsFault(options, authorizationServers);
  if (fault !== undefined) throw new McpError('MCP_BAD_DEFINITION', { what: 'bearer', why: fault });
  const { realm, onRejected, clock = systemClock, clockSkewMs = 60_000 } = options;
  const judge = new TokenChecker({
    verify,
    scopes: mergeScopes(scopes),
    accepted: { audience, issuers: authorizationServers, clock, clockSkewMs },
    implies: new Map(Object.entries(options.implies ?? {})),
    proofs: dpop === undefined ? undefined : new DpopProofChecker({ audience, clock, nonces }),
    challenge: { realm, metadataUrl: url, dpop, onRejected },
  });
  const documents = new Map([[path, document]]);
  const { authorizationServerMetadata: metadata } = options;
  if (metadata !== undefined) documents.set('/.well-known/oauth-authorization-server', metadata);
  return Object.assign((request: AuthRequest) => judge.authenticate(request), {
    documents,
    insufficient: (needed: readonly string[], auth: AuthInfo) => judge.insufficient(needed, auth),
  });
}

function optionsFault(options: BearerOptions, authorizationServers: readonly string[]): string | undefined {
  const { verify, scopes, nonces, dpop, clockSkewMs = 0 } = options;
  if (verify.issuer !== undefined && !authorizationServers.includes(verify.issuer))
    return `"authorizationServers" must name ${verify.issuer}, or clients get tokens that are never accepted`;
  if (nonces !== undefined && dpop === undefined) return '"nonces" are for proofs; say dpop: "accepted" or "required"';
  if (nonces instanceof Uint8Array && nonces.length < 32) return '"nonces" must be a key of 32 bytes';
  if (!(clockSkewMs >= 0)) return '"clockSkewMs" must not be negative';
  return scopesFault(scopes);
}

interface TokenCheckerOptions {
  readonly verify: TokenVerifier;
  readonly scopes: readonly string[];
  readonly accepted: Parameters<typeof claimsFault>[1];
  readonly implies: ReadonlyMap<string, readonly string[]>;
  readonly proofs: DpopProofChecker | undefined;
  readonly challenge: ChallengeFacts;
}

class TokenChecker {
  readonly #facts: TokenCheckerOptions;

  constructor(facts: TokenCheckerOptions) {
    this.#facts = facts;
  }

  async authenticate(request: AuthRequest): Promise<AuthInfo | AuthRejection> {
    const { proofs, scopes, implies, challenge } = this.#facts;
    const shown = readAuthorization(request);
    if (typeof shown === 'string') return this.#refuse({ status: 400, error: 'invalid_request', why: shown });
    if (shown === undefined || (shown.scheme === 'dpop' && proofs === undefined))
      return this.#refuse({ status: 401, why: 'there are no credentials of a kind that is known here' });
    const claims = await this.#verified(shown.token);
    if (typeof claims === 'string') return this.#refuse({ status: 401, error: 'invalid_token', why: claims });
    const unbound = bindingFault(shown, claims, challenge.dpop);
    if (unbound !== undefined) return this.#refuse({ status: 401, error: 'invalid_token', why: unbound });
    const auth = toAuthInfo(claims, { token: shown.token, implies });
    if (shown.scheme === 'dpop' && proofs !== undefined) {
      const fault = await proofs.fault({ request, token: shown.token, jkt: boundKey(claims) ?? '' });
      if (fault !== undefined)
        return this.#refuse({ status: 401, ...fault, auth, headers: await proofs.nonceHeader() });
    }
    return missingScopes(scopes, auth.scopes).length === 0 ? auth : this.insufficient([], auth);
  }

  /** What the endpoint needs and what the request needs besides, all in one: nobody should have to come back twice. */
  insufficient(needed: readonly string[], auth: AuthInfo): AuthRejection {
    const scopes = mergeScopes(this.#facts.scopes, needed);
    const why = `it lacks ${missingScopes(scopes, auth.scopes).join(' ')}`;
    return this.#refuse({ status: 403, error: 'insufficient_scope', why, scopes, auth });
  }

  /** What the token says, or why it is not accepted. */
  async #verified(token: string): Promise<Claims | string> {
    const { verify, accepted, challenge } = this.#facts;
    try {
      const claims = await verify(token, accepted);
      if (!isObject(claims)) return 'whoever verifies tokens does not know it';
      return claimsFault(claims, accepted) ?? claims;
    } catch (thrown) {
      if (thrown instanceof InvalidToken) return thrown.message;
      const id = crypto.randomUUID().slice(0, 8);
      const why = String(thrown instanceof Error ? thrown.message : thrown).replaceAll(token, '…');
      reportRejection({ id, status: 503, error: undefined, why }, challenge.onRejected);
      throw thrown;
    }
  }

  #refuse(refused: Omit<RejectedToken, 'scopes'> & Partial<Pick<RejectedToken, 'scopes'>>): AuthRejection {
    return toRejection({ scopes: this.#facts.scopes, ...refused }, this.#facts.challenge);
  }
}

/** The thumbprint of the key that a token is bound to. */
function boundKey({ cnf }: Claims): string | undefined {
  const jkt = isObject(cnf) ? cnf['jkt'] : undefined;
  return typeof jkt === 'string' && jkt !== '' ? jkt : undefined;
}

/** A token that is bound to something is worth nothing without it, and one that is not proves nothing by a proof. */
function bindingFault({ scheme }: PresentedToken, claims: Claims, dpop: ChallengeFacts['dpop']): string | undefined {
  if (scheme === 'dpop') return boundKey(claims) === undefined ? 'it is bound to no key' : undefined;
  if (claims['cnf'] !== undefined) return 'it is bound to a key, and came without a proof';
  return dpop === 'required' ? 'only tokens that are bound to a key are taken here' : undefined;
}
