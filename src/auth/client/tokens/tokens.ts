/** The tokens for one endpoint: stores them, renews them before they expire, replaces rejected ones (401), and adds missing scopes (403). */
import type { ChallengedRequest } from '../../../model/auth.ts';
import { printable } from '../../../model/printable.ts';
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import { MAX_TEXT_LENGTH } from '../context/metadata-document.ts';
import type { HeldTokens, TokenStore } from '../credentials/token-store.ts';
import type { AuthChallenge } from '../discovery/auth-challenge.ts';
import { type AuthorizationServer, issuingServer } from '../discovery/authorization-server.ts';
import { type Discovery, discover } from '../discovery/discovery.ts';
import { selectScopes } from '../discovery/scopes.ts';
import type { Grant } from './grant.ts';
import { MAX_ROUNDS, MAX_ROUNDS_IN_ALL, stepUpLimit } from './step-up-limit.ts';
import { isTokenRefusal } from './token-endpoint.ts';

export interface TokensParts {
  readonly context: AuthContext;
  readonly grant: Grant;
  /** Undefined if tokens stay in memory only. */
  readonly tokenStore?: TokenStore | undefined;
  /** Scopes that the application requests from the start. */
  readonly scopes?: readonly string[] | undefined;
}

/** How and when a token was obtained that the server has not accepted yet. */
interface UntriedToken {
  /** Undefined for a token that the server has accepted before. */
  readonly how: 'granted' | 'refreshed' | undefined;
  readonly at: number;
}

/** `signal` is aborted when the last request that waits for the token is cancelled. */
type RejectedRequest = Pick<ChallengedRequest, 'operation' | 'revision' | 'signal'>;

/** How long an untried token counts as new. */
const NEW_MS = 60_000;
/** Backoff after a failed renewal while the token is still valid. */
const PAUSE_MS = 5_000;
/** Backoff after a store failed, which can take as long as its lock is waited for. */
const STORE_PAUSE_MS = 30_000;

export class Tokens {
  readonly #parts: TokensParts;
  readonly #tryRound: ReturnType<typeof stepUpLimit>;
  #loaded: boolean;
  #held: HeldTokens | undefined;
  #discovery: Discovery | undefined;
  /** How and when the tokens were obtained, until the server accepts them. */
  #untried: UntriedToken | undefined;
  /** Set until the store has the tokens: the access token that they replace there. */
  #unstored: { readonly replaced: string | undefined } | undefined;
  #pausedUntil = 0;

  constructor(parts: TokensParts) {
    this.#parts = parts;
    this.#tryRound = stepUpLimit(parts.context.clock);
    this.#loaded = parts.tokenStore === undefined;
    this.#discovery = parts.grant.target;
  }

  current(): HeldTokens | undefined {
    return this.#held;
  }

  markAccepted(): void {
    this.#untried = undefined;
  }

  needsRenewal(): boolean {
    const { grant, context } = this.#parts;
    if (!this.#loaded || (this.#held === undefined && grant.target !== undefined)) return true;
    if (this.#pausedUntil > context.clock.now()) return false;
    const { renewAt, refreshToken } = this.#held ?? {};
    const due = renewAt !== undefined && renewAt <= context.clock.wall();
    return this.#unstored !== undefined || (due && (grant.unattended || refreshToken !== undefined));
  }

  /** Renews the token before it expires, and stores it if that failed before. A failure is ignored while the current token is still valid. */
  async renew(): Promise<void> {
    const { context, grant } = this.#parts;
    try {
      await this.#reload();
      const held = this.#held;
      if (held === undefined) return await (grant.target && this.#obtain(grant.target));
      if (!this.needsRenewal()) return;
      const server = await this.#serverOf(held);
      if (grant.unattended) await this.#obtain({ server, resource: held.resource, scopesSupported: undefined });
      else await this.#refresh(server, held);
    } catch (error) {
      const { expiresAt = Number.POSITIVE_INFINITY } = this.#held ?? { expiresAt: 0 };
      if (expiresAt <= context.clock.wall()) throw error;
      this.#pausedUntil = context.clock.now() + (this.#unstored === undefined ? PAUSE_MS : STORE_PAUSE_MS);
      context.traceChoice('token', 'it could not be renewed or stored yet; the current one is still valid');
    }
  }

  /** For a 401: gets a token, or replaces the one that the server rejected. True if the request can be sent again. */
  async replace(challenge: AuthChallenge, { operation, revision, signal }: RejectedRequest): Promise<boolean> {
    const { context, grant } = this.#parts;
    const before = this.#held;
    await this.#reload();
    if (this.#held?.accessToken !== before?.accessToken) return true;
    if (this.#isNew('granted')) throw context.failure('access token', rejectedAtOnce(challenge));
    context.traceChoice('challenge', `${operation} was rejected${describeChallenge(challenge)}`);
    const preferred = [grant.issuer, before?.issuer];
    const hints = { metadataUrl: challenge.metadataUrl, revision };
    const discovery = grant.target ?? (await discover(context, hints, preferred));
    this.#discovery = discovery;
    const same = before?.issuer === discovery.server.issuer && before.resource === discovery.resource;
    if (same && !this.#isNew('refreshed') && (await this.#refresh(discovery.server, before))) return true;
    if (!grant.unattended) this.#countRound(operation, []);
    await this.#obtain(discovery, challenge.scopes, signal);
    return true;
  }

  /** For a 403 (step-up): gets a token with more scopes. True if the request can be sent again. */
  async widen(challenge: AuthChallenge, { operation, revision, signal }: RejectedRequest): Promise<boolean> {
    const { context, grant } = this.#parts;
    const { scopes: challenged, metadataUrl } = challenge;
    if (challenged === undefined || this.#held === undefined || grant.target !== undefined) return false;
    context.traceChoice('challenge', `${operation} was rejected${describeChallenge(challenge)}`);
    this.#countRound(operation, challenged);
    this.#discovery ??= await discover(context, { metadataUrl, revision }, [grant.issuer, this.#held.issuer]);
    await this.#obtain(this.#discovery, challenged, signal);
    return true;
  }

  /** Counts a sign-in, and throws at the limit: a server that rejects every token must not make the user sign in forever. */
  #countRound(operation: string, scopes: readonly string[]): void {
    if (this.#tryRound(operation, scopes)) return;
    const [step, what] = scopes.length === 0 ? ['access token', 'a token'] : ['scopes', printable(scopes.join(' '))];
    const rounds = `the limit is ${MAX_ROUNDS} sign-ins for it within 10 minutes, or ${MAX_ROUNDS_IN_ALL} in all`;
    throw this.#parts.context.failure(step, `${operation} needs ${what}, and the server still rejects it: ${rounds}`);
  }

  async #obtain(discovery: Discovery, challenged?: readonly string[], signal?: AbortSignal): Promise<void> {
    const { context, grant, scopes: wanted } = this.#parts;
    const { server, resource, scopesSupported: supported } = discovery;
    const { requested = [], scopes: granted = [], issuer } = this.#held ?? {};
    const before = issuer === server.issuer ? [...requested, ...granted] : [];
    const scopes = grant.target ? wanted : selectScopes({ wanted, challenged, supported, before }, server);
    const text = scopes?.join(' ') ?? '';
    if (text.length > MAX_TEXT_LENGTH)
      throw context.failure('scopes', `they have ${text.length} characters together; the limit is ${MAX_TEXT_LENGTH}`);
    context.traceChoice('scopes', text === '' ? 'none are known, so none are requested' : printable(text));
    const tokens = await grant.obtain({ server, resource, scopes, signal });
    this.#hold({ ...tokens, issuer: server.issuer, resource, requested: scopes ?? [] }, 'granted');
    await this.#whileLocked(() => this.#store());
  }

  /** True if a new token was obtained. Locked, because most refresh tokens are single-use, and several processes can share one. */
  async #refresh(server: AuthorizationServer, held: HeldTokens): Promise<boolean> {
    if (held.refreshToken === undefined) return false;
    return this.#whileLocked(async () =>
      (await this.#isOvertaken(held.accessToken)) ? this.#held !== undefined : this.#refreshNow(server, held),
    );
  }

  /** Removes the refresh token if the authorization server rejects it. */
  async #refreshNow(server: AuthorizationServer, held: HeldTokens): Promise<boolean> {
    const { context, grant } = this.#parts;
    const outcome = await grant.refresh?.(server, held);
    const isRefreshed = outcome !== undefined && !isTokenRefusal(outcome);
    if (isRefreshed) this.#hold({ ...held, ...outcome }, 'refreshed');
    if (await this.#isOvertaken(held.accessToken)) return this.#held !== undefined;
    if (!isRefreshed) {
      const why = outcome?.why ?? 'the refresh token was issued to another client';
      context.traceChoice('token', `it cannot be refreshed: ${why}`);
      this.#hold({ ...held, refreshToken: undefined, renewAt: undefined }, this.#untried?.how);
    }
    await this.#store();
    return isRefreshed;
  }

  /**
   * True if another process replaced this access token in the store meanwhile, or the user signed out. Then adopts the stored state,
   * and a late response is discarded.
   */
  async #isOvertaken(accessToken: string | undefined): Promise<boolean> {
    const { context, tokenStore } = this.#parts;
    if (tokenStore === undefined) return false;
    const stored = await tokenStore.tokens(context.endpoint);
    if (stored?.accessToken === accessToken) return false;
    context.traceChoice(
      'token',
      stored === undefined ? 'the user has signed out since' : 'another one has been stored since',
    );
    this.#adopt(stored);
    return true;
  }

  /** Keeps the tokens even if the store fails: the refresh token that they replace is no longer valid. */
  #hold(tokens: HeldTokens, how: UntriedToken['how']): void {
    this.#unstored = this.#parts.tokenStore && { replaced: this.#held?.accessToken };
    this.#held = tokens;
    this.#untried = { how, at: this.#parts.context.clock.now() };
  }

  #adopt(stored: HeldTokens | undefined): void {
    this.#held = stored;
    this.#untried = undefined;
    this.#unstored = undefined;
  }

  async #store(): Promise<void> {
    const { context, tokenStore } = this.#parts;
    if (this.#held !== undefined) await tokenStore?.saveTokens(context.endpoint, this.#held);
    this.#unstored = undefined;
  }

  #whileLocked<T>(work: () => Promise<T>): Promise<T> {
    const { context, tokenStore } = this.#parts;
    return tokenStore === undefined ? work() : tokenStore.whileLocked(context.endpoint, work);
  }

  /** Whether the token was just obtained in this way. If the server rejects such a token, the next one would be rejected too. */
  #isNew(how: 'granted' | 'refreshed'): boolean {
    return this.#untried?.how === how && this.#parts.context.clock.now() - this.#untried.at < NEW_MS;
  }

  async #serverOf({ issuer }: HeldTokens): Promise<AuthorizationServer> {
    if (this.#discovery?.server.issuer === issuer) return this.#discovery.server;
    return issuingServer(this.#parts.context, issuer);
  }

  /** Reads the store again, because another process or client can have renewed the tokens. First stores what it lacks. */
  async #reload(): Promise<void> {
    const { context, tokenStore } = this.#parts;
    this.#loaded = true;
    const unstored = this.#unstored;
    if (unstored !== undefined)
      await this.#whileLocked(async () => {
        if (!(await this.#isOvertaken(unstored.replaced))) await this.#store();
      });
    const stored = await tokenStore?.tokens(context.endpoint);
    if (stored !== undefined && stored.accessToken !== this.#held?.accessToken) this.#adopt(stored);
  }
}

const rejectedAtOnce = (challenge: AuthChallenge): string =>
  `the server rejects the token that was just issued for it${describeChallenge(challenge)}; check that it and its authorization server agree`;

function describeChallenge({ error, scopes }: AuthChallenge): string {
  const text = [error, scopes && `scope ${scopes.join(' ')}`].filter((one) => one !== undefined).join(', ');
  return text === '' ? '' : ` (${quoteText(text)})`;
}
