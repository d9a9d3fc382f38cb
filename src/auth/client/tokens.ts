/** The tokens for one endpoint: kept, renewed in time, replaced when they are refused, widened when they do not suffice. */
import { printable } from '../../model/printable.ts';
import { type AuthorizationServer, findAuthorizationServer, ownAuthorizationServer } from './authorization-server.ts';
import type { Demand } from './demand.ts';
import { discover, type Site } from './discovery.ts';
import type { Flow } from './flow.ts';
import type { Grant } from './grant.ts';
import type { HeldTokens, Keeping } from './keeping.ts';
import { MAX_ROUNDS, MAX_ROUNDS_IN_ALL, Rounds } from './rounds.ts';
import { selectScopes } from './scopes.ts';
import { isRefusal } from './token-endpoint.ts';

export interface TokensParts {
  readonly flow: Flow;
  readonly grant: Grant;
  /** Undefined where nothing outlives the process. */
  readonly keeping?: Keeping | undefined;
  /** What the application wants from the start. */
  readonly scopes?: readonly string[] | undefined;
}

interface Untried {
  readonly how: 'granted' | 'refreshed';
  readonly at: number;
}

/** What a request that needs more is about. */
interface Occasion {
  readonly operation: string;
  readonly revision: string | undefined;
}

/** How long a token is new. */
const NEW_MS = 60_000;

export class Tokens {
  readonly #parts: TokensParts;
  readonly #rounds: Rounds;
  #loaded: boolean;
  #held: HeldTokens | undefined;
  #site: Site | undefined;
  /** How and when the tokens were got, for as long as the server has not taken them. */
  #untried: Untried | undefined;

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
    const { renewAt, refreshToken } = this.#held ?? {};
    const possible = this.#parts.grant.unattended || refreshToken !== undefined;
    return possible && renewAt !== undefined && renewAt <= this.#parts.flow.clock.wall();
  }

  /** Ahead of time, so that nothing is lost yet if it fails. */
  async renew(): Promise<void> {
    await this.#reload();
    if (!this.needsRenewal() || this.#held === undefined) return;
    const held = this.#held;
    try {
      const server = await this.#serverOf(held);
      if (this.#parts.grant.unattended)
        await this.#obtain({ server, resource: held.resource, scopesSupported: undefined });
      else await this.#refresh(server, held);
    } catch (error) {
      if (held.expiresAt === undefined || held.expiresAt <= this.#parts.flow.clock.wall()) throw error;
      this.#parts.flow.chose('token', 'it could not be renewed yet; the one at hand is still good');
    }
  }

  /** The server does not take what it was shown, or was shown nothing. */
  async replace(demand: Demand, revision: string | undefined): Promise<boolean> {
    const { flow, grant } = this.#parts;
    const before = this.#held;
    await this.#reload();
    if (this.#held?.accessToken !== before?.accessToken) return true;
    if (this.#isNew('granted')) throw flow.failed('access token', refusedAtOnce(demand));
    const preferred = [grant.issuer, before?.issuer];
    const site = await discover(flow, { metadataUrl: demand.metadataUrl, revision }, preferred);
    this.#site = site;
    const same = before?.issuer === site.server.issuer && before.resource === site.resource;
    if (same && !this.#isNew('refreshed') && (await this.#refresh(site.server, before))) return true;
    await this.#obtain(site, demand.scopes);
    return true;
  }

  /** The token is good, but not for this. */
  async widen(demand: Demand, { operation, revision }: Occasion): Promise<boolean> {
    const { flow, grant } = this.#parts;
    const { scopes: challenged, metadataUrl } = demand;
    if (challenged === undefined || this.#held === undefined) return false;
    if (!this.#rounds.another(operation, challenged)) {
      const named = printable(challenged.join(' '));
      throw flow.failed(
        'scopes',
        `${operation} needs ${named}, and is refused: there were ${MAX_ROUNDS} rounds for that of late, or ${MAX_ROUNDS_IN_ALL} in all`,
      );
    }
    this.#site ??= await discover(flow, { metadataUrl, revision }, [grant.issuer, this.#held.issuer]);
    await this.#obtain(this.#site, challenged);
    return true;
  }

  async #obtain(site: Site, challenged?: readonly string[]): Promise<void> {
    const { flow, grant, scopes: wanted } = this.#parts;
    const { server, resource, scopesSupported: supported } = site;
    const { requested = [], scopes: granted = [], issuer } = this.#held ?? {};
    const before = issuer === server.issuer ? [...requested, ...granted] : [];
    const scopes = selectScopes({ wanted, challenged, supported, before }, server);
    flow.chose('scopes', scopes === undefined ? 'none are known, so none are named' : printable(scopes.join(' ')));
    const tokens = await grant.obtain({ server, resource, scopes });
    await this.#keep({ ...tokens, issuer: server.issuer, resource, requested: scopes ?? [] }, 'granted');
  }

  /** True if there is a new token. A refresh token that was refused is forgotten. */
  async #refresh(server: AuthorizationServer, held: HeldTokens): Promise<boolean> {
    const { flow, grant } = this.#parts;
    const outcome = await grant.refresh?.(server, held);
    if (outcome === undefined) return false;
    if (!isRefusal(outcome)) {
      await this.#keep({ ...held, ...outcome }, 'refreshed');
      return true;
    }
    flow.chose('token', `it cannot be refreshed: ${outcome.why}`);
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

function refusedAtOnce({ error }: Demand): string {
  const said = error === undefined ? '' : ` (${printable(error.slice(0, 100))})`;
  return `the server refuses the token that was just issued for it${said}; it and its authorization server disagree`;
}
