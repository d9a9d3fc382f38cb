/**
 * Binds a preregistered client to one authorization server: the one that the application names, or the first that the client is used
 * with. An MCP server that later names another one cannot make the client send its secret there.
 */
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import type { TokenStore } from '../credentials/token-store.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';

export class IssuerBinding {
  readonly #tokenStore: TokenStore;
  /** Stored as promises, so that of two concurrent endpoints, the first wins. */
  readonly #bound: Map<string, Promise<string>> = new Map();

  constructor(tokenStore: TokenStore) {
    this.#tokenStore = tokenStore;
  }

  /** Throws if the client is bound to another authorization server. */
  async check(
    context: AuthContext,
    client: ClientIdentity,
    { issuer, step }: { issuer: string; step: string },
  ): Promise<void> {
    const named = client.issuer;
    const bound = named ?? (await this.#boundTo(keyOf(client, context), issuer));
    if (bound === issuer) return;
    const [ours, theirs] = [quoteText(bound), quoteText(issuer)];
    const known = named === undefined ? `was used with ${ours}` : `is registered with ${ours}`;
    const advice = named === undefined ? `. If ${theirs} knows it too, pass that as the "issuer" of the client` : '';
    throw context.failure(step, `the client ${known}, and the server now trusts ${theirs}${advice}`);
  }

  #boundTo(key: string, issuer: string): Promise<string> {
    const known = this.#bound.get(key) ?? this.#tokenStore.bindIssuer(key, issuer);
    this.#bound.set(key, known);
    known.catch(() => this.#bound.delete(key));
    return known;
  }
}

/** A client without secret and key has nothing to leak, and can be registered with several servers, so it is bound per endpoint. */
const keyOf = ({ id, secret, key }: ClientIdentity, { endpoint }: AuthContext): string =>
  secret === undefined && key === undefined ? `${id} ${endpoint.href}` : id;
