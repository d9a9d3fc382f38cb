/**
 * A client that is known beforehand belongs to one authorization server: the one that the application names, else the first
 * that it is shown to. A server that names another later, or another server, does not get its secret.
 */
import { printable } from '../../../model/printable.ts';
import type { AuthContext } from '../context/auth-context.ts';
import type { TokenStore } from '../credentials/token-store.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';

/** A client that an application or its user knows already. */
export interface KnownClient extends Pick<ClientIdentity, 'id' | 'secret' | 'key'> {
  /** The authorization server that knows it; it is used with no other. */
  readonly issuer?: string | undefined;
}

export class IssuerBinding {
  readonly #tokenStore: TokenStore;
  /** The first wins, also where two endpoints ask at the same time. */
  readonly #bound: Map<string, Promise<string>> = new Map();

  constructor(tokenStore: TokenStore) {
    this.#tokenStore = tokenStore;
  }

  /** Throws where the client belongs to another authorization server. */
  async check(
    context: AuthContext,
    client: KnownClient,
    { issuer, step }: { issuer: string; step: string },
  ): Promise<void> {
    const named = client.issuer;
    const bound = named ?? (await this.#boundTo(keyOf(client, context), issuer));
    if (bound === issuer) return;
    const [ours, theirs] = [bound, issuer].map((text) => printable(text.slice(0, 200)));
    const known = named === undefined ? `was used with ${ours}` : `is registered with ${ours}`;
    const advice = named === undefined ? `. If ${theirs} knows it too, pass that as the "issuer" of the client` : '';
    throw context.failure(step, `the client ${known}, and the server now trusts ${theirs}${advice}`);
  }

  #boundTo(key: string, issuer: string): Promise<string> {
    const known = this.#bound.get(key) ?? this.#load(key, issuer);
    this.#bound.set(key, known);
    known.catch(() => this.#bound.delete(key));
    return known;
  }

  async #load(key: string, issuer: string): Promise<string> {
    const kept = await this.#tokenStore.issuerOf(key);
    if (kept === undefined) await this.#tokenStore.saveIssuer(key, issuer);
    return kept ?? issuer;
  }
}

/** An id that nothing proves gives nothing away, and several authorization servers can know it: it is bound for each endpoint. */
const keyOf = ({ id, secret, key }: KnownClient, { endpoint }: AuthContext): string =>
  secret === undefined && key === undefined ? `${id} ${endpoint.href}` : id;
