/** OAuth sign-ins of servers: records each traced step, and lets a developer expire, revoke and renew tokens. */
import { TokenStore } from '../auth/client/credentials/token-store.ts';
import { type CredentialStore, oauth, signOut, storedSignIn, type TraceStep } from '../auth/index.ts';
import { McpError } from '../errors.ts';
import type { ServerSource } from '../host/index.ts';
import type { ClientAuth } from '../model/auth.ts';
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

/** Servers with the same endpoint share its sign-in. */
export class WorkbenchSignIns {
  readonly #context: SignInContext;
  /** By label. */
  readonly #endpoints: Map<string, URL> = new Map();
  /** By endpoint, as the next two. */
  readonly #steps: Map<string, SignInStepRow[]> = new Map();
  readonly #scopes: Map<string, string> = new Map();
  /** Close the question that sends the user to the authorization server. */
  readonly #visits: Map<string, AbortController> = new Map();

  constructor(context: SignInContext, servers: Readonly<Record<string, ServerSource>>) {
    this.#context = context;
    for (const [label, source] of Object.entries(servers)) this.add(label, source);
  }

  add(label: string, source: ServerSource): void {
    const address = addressOf(source);
    if (URL.canParse(address)) this.#endpoints.set(label, new URL(address));
  }

  /** Passed to the host as `auth`, which calls it for each connection. */
  readonly auth: ClientAuth = (endpoint) => {
    const { href } = endpoint;
    const { store, clock } = this.#context;
    const scope = this.#scopes.get(href);
    return oauth({
      ...{ clientName: CLIENT_NAME, store, clock },
      ...{ trace: (step) => this.#trace(href, step), open: (url) => this.#visit(href, url) },
      ...(scope === undefined ? {} : { scopes: scope.split(' ') }),
    })(endpoint);
  };

  async state(label: string): Promise<SignInState> {
    const endpoint = this.#endpoints.get(label);
    if (endpoint === undefined) return { server: label, supported: false, signedIn: false, steps: [] };
    const stored = await storedSignIn(endpoint, this.#context.store);
    const { issuer, scopes, expiresAt } = stored ?? {};
    const steps = this.#steps.get(endpoint.href) ?? [];
    return { server: label, supported: true, signedIn: stored !== undefined, steps, issuer, scopes, expiresAt };
  }

  /** Revokes and deletes the tokens. */
  async forget(label: string): Promise<void> {
    const endpoint = this.#endpoints.get(label);
    if (endpoint === undefined) return;
    const { store, clock } = this.#context;
    await signOut(endpoint, { store, clock, trace: (step) => this.#trace(endpoint.href, step) });
  }

  /** Marks the access token as expired: the next request refreshes it. */
  async expire(label: string): Promise<void> {
    const endpoint = this.#endpoints.get(label);
    const tokens = new TokenStore(this.#context.store);
    const held = endpoint === undefined ? undefined : await tokens.tokens(endpoint);
    if (endpoint === undefined || held === undefined) return;
    const past = this.#context.clock.wall() - 1;
    await tokens.saveTokens(endpoint, { ...held, expiresAt: past, renewAt: past });
    this.#trace(endpoint.href, { step: 'access token', outcome: 'chosen', why: 'you marked it as expired' });
  }

  /** Prepares a new sign-in: deletes tokens and steps, and sets the scope to request. */
  async reset(label: string, scope: string | undefined): Promise<void> {
    const endpoint = this.#endpoints.get(label);
    if (endpoint === undefined) return;
    if (scope !== undefined) this.#scopes.set(endpoint.href, scope);
    this.#steps.set(endpoint.href, []);
    await new TokenStore(this.#context.store).removeTokens(endpoint);
  }

  #labelsOf(href: string): string[] {
    return [...this.#endpoints].flatMap(([label, endpoint]) => (endpoint.href === href ? [label] : []));
  }

  #trace(href: string, step: TraceStep): void {
    this.#visits.get(href)?.abort();
    this.#visits.delete(href);
    const row: SignInStepRow = { at: this.#context.clock.wall(), ...step };
    const steps = this.#steps.get(href) ?? [];
    steps.push(row);
    if (steps.length > MAX_STEPS) steps.shift();
    this.#steps.set(href, steps);
    for (const server of this.#labelsOf(href)) this.#context.feed.emit('signIn', { server, step: row });
  }

  /** Asks the user to open the authorization page. The next traced step closes the question; if the user cancels, the sign-in fails. */
  async #visit(href: string, url: string): Promise<void> {
    const control = new AbortController();
    this.#visits.get(href)?.abort();
    this.#visits.set(href, control);
    const [server = ''] = this.#labelsOf(href);
    const asked = { kind: 'visit', server, url, host: new URL(url).host, warnings: [] } as const;
    const answer = await this.#context.questions.ask(asked, control.signal);
    if (answer?.kind === 'visit' && answer.action === 'cancel')
      throw new McpError('MCP_CANCELLED', { method: 'The sign-in', why: 'you dismissed it' });
  }
}
