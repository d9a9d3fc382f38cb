/** The tokens for one endpoint: kept, renewed in time, replaced when they are refused, widened when they do not suffice. */
import { printable } from '../../model/printable.ts';
import { type AuthorizationServer, findAuthorizationServer, ownAuthorizationServer } from './authorization-server.ts';
import type { Demand } from './demand.ts';
import { discover, type Site } from './discovery.ts';
import type { AuthContext } from './flow.ts';
import type { Grant } from './grant.ts';
import type { HeldTokens, TokenStore } from './keeping.ts';
import { MAX_ROUNDS, MAX_ROUNDS_IN_ALL, Rounds } from './rounds.ts';
import { selectScopes } from './scopes.ts';
import { isTokenRefusal } from './token-endpoint.ts';

export interface TokensParts {
  readonly flow: AuthContext;
  readonly grant: Grant;
  /** Undefined where nothing outlives the process. */
  readonly keeping?: TokenStore | undefined;
  /** What the application wants from the start. */
  readonly scopes?: readonly string[] | undefined;
}

interface Untried {
  readonly how: 'granted' | 'refreshed';
  readonly at: number;
}

/** The request that was refused. */
interface RejectedRequest {
  readonly operation: string;
  readonly revision: string | undefined;
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

interface ScopeRequest {
  readonly challenged?: readonly string[] | undefined;
  readonly signal?: AbortSignal;
}

/** How long a token is new. */
const NEW_MS = 60_000;
/** Until renewing is tried again that has failed while the token was still good. */
const PAUSE_MS = 5_000;

export class Tokens {
  readonly #parts: TokensParts;
  readonly #rounds: Rounds;
  #loaded: boolean;
  #held: HeldTokens | undefined;
  #site: Site | undefined;
  /** How and when the tokens were got, for as long as the server has not taken them. */
  #untried: Untried | undefined;
  #pausedUntil = 0;

  constructor(parts: TokensParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(parts.flow.clock);
    this.#loaded = parts.keeping === undefined;
  }

  held(): HeldTokens | undefined {
    return this.#held;
  }

  /** The server has taken the token: it is good. */
  accepted(): void {
    this.#untried = undefined;
  }

  needsRenewal(): boolean {
    if (!this.#loaded) return true;
    const { grant, flow } = this.#parts;
    const { renewAt, refreshToken } = this.#held ?? {};
    const due = renewAt !== undefined && renewAt <= flow.clock.wall() && this.#pausedUntil <= flow.clock.now();
    return due && (grant.unattended || refreshToken !== undefined);
  }

  /** Ahead of time, so that nothing is lost yet if it fails. */
  async renew(): Promise<void> {
    await this.#reload();
    if (!this.needsRenewal() || this.#held === undefined) return;
    const held = this.#held;
    const { flow, grant } = this.#parts;
    try {
      const server = await this.#serverOf(held);
      if (grant.unattended) await this.#obtain({ server, resource: held.resource, scopesSupported: undefined });
      else await this.#refresh(server, held);
    } catch (error) {
      if (held.expiresAt === undefined || held.expiresAt <= flow.clock.wall()) throw error;
      this.#pausedUntil = flow.clock.now() + PAUSE_MS;
      flow.chose('token', 'it could not be renewed yet; the one at hand is still good');
    }
  }

  /** The server does not take what it was shown, or was shown nothing. */
  async replace(demand: Demand, { operation, revision, signal }: RejectedRequest): Promise<boolean> {
    const { flow, grant } = this.#parts;
    const before = this.#held;
    await this.#reload();
    if (this.#held?.accessToken !== before?.accessToken) return true;
    if (this.#isNew('granted')) throw flow.failed('access token', refusedAtOnce(demand));
    flow.chose('challenge', `${operation} was refused${told(demand)}`);
    const preferred = [grant.issuer, before?.issuer];
    const site = await discover(flow, { metadataUrl: demand.metadataUrl, revision }, preferred);
    this.#site = site;
    const same = before?.issuer === site.server.issuer && before.resource === site.resource;
    if (same && !this.#isNew('refreshed') && (await this.#refresh(site.server, before))) return true;
    if (!grant.unattended) this.#round(operation, []);
    await this.#obtain(site, { challenged: demand.scopes, signal });
    return true;
  }

  /** The token is good, but not for this. */
  async widen(demand: Demand, { operation, revision, signal }: RejectedRequest): Promise<boolean> {
    const { flow, grant } = this.#parts;
    const { scopes: challenged, metadataUrl } = demand;
    if (challenged === undefined || this.#held === undefined) return false;
    flow.chose('challenge', `${operation} was refused${told(demand)}`);
    this.#round(operation, challenged);
    this.#site ??= await discover(flow, { metadataUrl, revision }, [grant.issuer, this.#held.issuer]);
    await this.#obtain(this.#site, { challenged, signal });
    return true;
  }

  /** A server that is never satisfied does not have a person sign in for ever. */
  #round(operation: string, scopes: readonly string[]): void {
    if (this.#rounds.another(operation, scopes)) return;
    const [step, what] = scopes.length === 0 ? ['access token', 'a token'] : ['scopes', printable(scopes.join(' '))];
    const rounds = `there were ${MAX_ROUNDS} rounds for that of late, or ${MAX_ROUNDS_IN_ALL} in all`;
    throw this.#parts.flow.failed(step, `${operation} needs ${what}, and is refused: ${rounds}`);
  }

  async #obtain(site: Site, { challenged, signal }: ScopeRequest = {}): Promise<void> {
    const { flow, grant, scopes: wanted } = this.#parts;
    const { server, resource, scopesSupported: supported } = site;
    const { requested = [], scopes: granted = [], issuer } = this.#held ?? {};
    const before = issuer === server.issuer ? [...requested, ...granted] : [];
    const scopes = selectScopes({ wanted, challenged, supported, before }, server);
    flow.chose('scopes', scopes === undefined ? 'none are known, so none are named' : printable(scopes.join(' ')));
    const tokens = await grant.obtain({ server, resource, scopes, signal });
    await this.#keep({ ...tokens, issuer: server.issuer, resource, requested: scopes ?? [] }, 'granted');
  }

  /** True if there is a new token. A refresh token that was refused is forgotten. */
  async #refresh(server: AuthorizationServer, held: HeldTokens): Promise<boolean> {
    const { flow, grant } = this.#parts;
    if (held.refreshToken === undefined) return false;
    const outcome = await grant.refresh?.(server, held);
    if (outcome !== undefined && !isTokenRefusal(outcome)) {
      await this.#keep({ ...held, ...outcome }, 'refreshed');
      return true;
    }
    flow.chose('token', `it cannot be refreshed: ${outcome?.why ?? 'the client is not the one it was issued to'}`);
    await this.#reload();
    if (this.#held?.accessToken !== held.accessToken) return true;
    await this.#keep({ ...held, refreshToken: undefined, renewAt: undefined }, this.#untried?.how);
    return false;
  }

  /** Kept before it is used: a refresh token that was traded in is worth nothing any more. */
  async #keep(tokens: HeldTokens, how: Untried['how'] | undefined): Promise<void> {
    const { flow, keeping } = this.#parts;
    await keeping?.keepTokens(flow.endpoint, tokens);
    this.#held = tokens;
    this.#untried = how === undefined ? undefined : { how, at: flow.clock.now() };
  }

  /** The server refuses what was got for it just now: to go the same way again would lead to the same place. */
  #isNew(how: Untried['how']): boolean {
    return this.#untried?.how === how && this.#parts.flow.clock.now() - this.#untried.at < NEW_MS;
  }

  async #serverOf({ issuer }: HeldTokens): Promise<AuthorizationServer> {
    const { flow } = this.#parts;
    if (this.#site?.server.issuer === issuer) return this.#site.server;
    return issuer === flow.endpoint.origin
      ? ownAuthorizationServer(flow, undefined)
      : findAuthorizationServer(flow, issuer);
  }

  /** Another process, or another client of this one, may have been faster. */
  async #reload(): Promise<void> {
    const { flow, keeping } = this.#parts;
    this.#loaded = true;
    const kept = await keeping?.tokens(flow.endpoint);
    if (kept === undefined || kept.accessToken === this.#held?.accessToken) return;
    this.#held = kept;
    this.#untried = undefined;
  }
}

function refusedAtOnce(demand: Demand): string {
  return `the server refuses the token that was just issued for it${told(demand)}; it and its authorization server disagree`;
}

function told({ error, scopes }: Demand): string {
  const said = [error, scopes && `scope ${scopes.join(' ')}`].filter((one) => one !== undefined).join(', ');
  return said === '' ? '' : ` (${printable(said.slice(0, 200))})`;
}
