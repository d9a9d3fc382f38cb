/** OAuth sign-ins of servers: records each traced step, and lets a developer expire, revoke and renew tokens. */
import { TokenStore } from '../auth/client/credentials/token-store.ts';
import { type CredentialStore, oauth, signOut, storedSignIn, type TraceStep } from '../auth/index.ts';
import { McpError } from '../errors.ts';
import type { ServerSource } from '../host/index.ts';
import type { ClientAuth } from '../model/auth.ts';
import { displayUrl } from '../model/printable.ts';
import type { PageQuestions } from './page-questions.ts';
import type { SignInState, SignInStepRow } from './protocol-rows.ts';
import type { WorkbenchCore } from './workbench-core.ts';
import { addressOf } from './workbench-servers.ts';

/** Recorded steps per server. */
const MAX_STEPS = 500;
const CLIENT_NAME = 'mooring';

type SignInContext = Pick<WorkbenchCore, 'clock' | 'feed'> & {
  readonly questions: PageQuestions;
  readonly store: CredentialStore;
};

export class WorkbenchSignIns {
  readonly #context: SignInContext;
  /** Labels, by endpoint. */
  readonly #labels: Map<string, string> = new Map();
  readonly #steps: Map<string, SignInStepRow[]> = new Map();
  readonly #scopes: Map<string, string> = new Map();
  /** For each server: closes the question that sends the user to the authorization server. */
  readonly #visits: Map<string, AbortController> = new Map();

  constructor(context: SignInContext, servers: Readonly<Record<string, ServerSource>>) {
    this.#context = context;
    for (const [label, source] of Object.entries(servers)) this.add(label, source);
  }

  add(label: string, source: ServerSource): void {
    const address = addressOf(source);
    if (URL.canParse(address)) this.#labels.set(new URL(address).href, label);
  }

  /** Passed to the host as `auth`, which calls it for each connection. */
  readonly auth: ClientAuth = (endpoint) => {
    const label = this.#labels.get(endpoint.href) ?? '';
    const { store, clock } = this.#context;
    const scope = this.#scopes.get(label);
    return oauth({
      ...{ clientName: CLIENT_NAME, store, clock },
      ...{ trace: (step) => this.#trace(label, step), open: (url) => this.#visit(label, url) },
      ...(scope === undefined ? {} : { scopes: scope.split(' ') }),
    })(endpoint);
  };

  async state(label: string): Promise<SignInState> {
    const endpoint = this.#endpointOf(label);
    const steps = this.#steps.get(label) ?? [];
    if (endpoint === undefined) return { server: label, supported: false, signedIn: false, steps };
    const stored = await storedSignIn(endpoint, this.#context.store);
    const { issuer, scopes, expiresAt } = stored ?? {};
    return { server: label, supported: true, signedIn: stored !== undefined, steps, issuer, scopes, expiresAt };
  }

  /** Revokes and deletes the tokens. */
  async forget(label: string): Promise<void> {
    const endpoint = this.#endpointOf(label);
    const { store, clock } = this.#context;
    if (endpoint !== undefined) await signOut(endpoint, { store, clock, trace: (step) => this.#trace(label, step) });
  }

  /** Marks the access token as expired: the next request refreshes it. */
  async expire(label: string): Promise<void> {
    const endpoint = this.#endpointOf(label);
    const tokens = new TokenStore(this.#context.store);
    const held = endpoint === undefined ? undefined : await tokens.tokens(endpoint);
    if (endpoint === undefined || held === undefined) return;
    const past = this.#context.clock.wall() - 1;
    await tokens.saveTokens(endpoint, { ...held, expiresAt: past, renewAt: past });
    this.#trace(label, { step: 'access token', outcome: 'chosen', why: 'you marked it as expired' });
  }

  /** Prepares a new sign-in: deletes tokens and steps, and sets the scope to request. */
  async reset(label: string, scope: string | undefined): Promise<void> {
    const endpoint = this.#endpointOf(label);
    if (scope !== undefined) this.#scopes.set(label, scope);
    this.#steps.set(label, []);
    if (endpoint !== undefined) await new TokenStore(this.#context.store).removeTokens(endpoint);
  }

  #endpointOf(label: string): URL | undefined {
    const [href] = [...this.#labels].find(([, one]) => one === label) ?? [];
    return href === undefined ? undefined : new URL(href);
  }

  #trace(label: string, step: TraceStep): void {
    this.#visits.get(label)?.abort();
    this.#visits.delete(label);
    const row: SignInStepRow = { at: this.#context.clock.wall(), ...step };
    const steps = this.#steps.get(label) ?? [];
    steps.push(row);
    if (steps.length > MAX_STEPS) steps.shift();
    this.#steps.set(label, steps);
    this.#context.feed.emit('signIn', { server: label, step: row });
  }

  /** Asks the user to open the authorization page. The next traced step closes the question; if the user cancels, the sign-in fails. */
  async #visit(label: string, url: string): Promise<void> {
    const control = new AbortController();
    this.#visits.get(label)?.abort();
    this.#visits.set(label, control);
    const host = URL.canParse(url) ? new URL(url).host : displayUrl(new URL('about:blank'));
    const asked = { kind: 'visit', server: label, url, host, warnings: [] } as const;
    const answer = await this.#context.questions.ask(asked, control.signal);
    if (answer?.kind === 'visit' && answer.action === 'cancel')
      throw new McpError('MCP_CANCELLED', { method: 'The sign-in', why: 'you dismissed it' });
  }
}
