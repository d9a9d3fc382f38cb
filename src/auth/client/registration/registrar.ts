/** Gets a client id for an authorization server: preregistered, a metadata document, dynamic registration (RFC 7591), or from the user. */
import { badDefinition } from '../../../errors.ts';
import { displayUrl, printable } from '../../../model/printable.ts';
import { type AuthContext, quoteText } from '../context/auth-context.ts';
import { isLoopbackUrl } from '../context/browser-url.ts';
import { toDocument } from '../context/metadata-document.ts';
import type { Registration, TokenStore } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import { checkIssuerBinding } from './issuer-binding.ts';

export interface ClientSources {
  readonly client?: ClientIdentity | undefined;
  /** The https URL of the client's metadata document, which is its id. */
  readonly metadataUrl?: string | undefined;
  /** The name that a consent page shows. */
  readonly name: string;
  /** Whether tokens must be bound to a key (DPoP). */
  readonly bound: boolean;
  readonly ask?: ((issuer: string) => Promise<ClientIdentity | undefined>) | undefined;
}

const STEP = 'client registration';

export class Registrar {
  readonly #context: AuthContext;
  readonly #sources: ClientSources;
  readonly #tokenStore: TokenStore;

  constructor(context: AuthContext, sources: ClientSources, tokenStore: TokenStore) {
    this.#context = context;
    this.#sources = sources;
    this.#tokenStore = tokenStore;
  }

  /** Redirect URIs of stored registrations with this authorization server. */
  async redirectUris({ issuer }: AuthorizationServer): Promise<readonly string[]> {
    return (await this.#tokenStore.registrations(issuer)).flatMap(({ redirectUris }) => redirectUris);
  }

  /** Returns a preregistered client, a stored registration, a new registration, or the client of the user, in this order. */
  async clientFor(server: AuthorizationServer, redirectUri: string): Promise<ClientIdentity> {
    const known = await this.#findPreregistered(server);
    if (known !== undefined) return known;
    const registered = await this.#tokenStore.registrations(server.issuer);
    const usable = registered.find((one) => this.#isUsable(one, redirectUri));
    if (usable !== undefined) {
      this.#context.traceChoice(STEP, `registered before as ${printable(usable.id)}`);
      return usable;
    }
    const outcome = await this.#register(server, redirectUri);
    return typeof outcome === 'string' ? this.#askUser(server, outcome) : outcome;
  }

  /** The client that tokens were issued to, if it is still known. */
  async formerClient(server: AuthorizationServer, id: string | undefined): Promise<ClientIdentity | undefined> {
    const preregistered = await this.#findPreregistered(server);
    const clients = preregistered ? [preregistered] : await this.#tokenStore.registrations(server.issuer);
    return clients.find((client) => client.id === id);
  }

  /** Removes a registration that the server rejects. True if the client can register again. */
  async forgetClient(server: AuthorizationServer, id: string): Promise<boolean> {
    if ((await this.#findPreregistered(server)) !== undefined) return false;
    this.#context.traceChoice(STEP, 'the authorization server no longer knows the client; it registers again');
    await this.#tokenStore.removeRegistration(server.issuer, id);
    return true;
  }

  async #findPreregistered({ issuer, acceptsMetadataUrl }: AuthorizationServer): Promise<ClientIdentity | undefined> {
    const { client, metadataUrl } = this.#sources;
    if (client !== undefined) {
      await checkIssuerBinding(this.#context, this.#tokenStore, { client, issuer, step: STEP });
      return client;
    }
    return metadataUrl !== undefined && acceptsMetadataUrl ? { id: metadataUrl, method: 'none' } : undefined;
  }

  #isUsable({ expiresAt, redirectUris }: Registration, redirectUri: string): boolean {
    const alive = expiresAt === undefined || expiresAt > this.#context.clock.wall();
    // The redirect URIs of a client that the user entered are not known, so any is assumed to be registered.
    return alive && (redirectUris.length === 0 || redirectUris.includes(redirectUri));
  }

  /** Returns the client, or why it cannot be registered. */
  async #register(server: AuthorizationServer, redirectUri: string): Promise<ClientIdentity | string> {
    if (server.registrationEndpoint === undefined) return 'it has no registration endpoint';
    const native = isLoopbackUrl(new URL(redirectUri));
    const first = await this.#post(server, redirectUri, native ? 'native' : 'web');
    // Retries with the other application type: some servers accept a loopback redirect URI only as `native`, some only as `web`.
    const outcome =
      typeof first === 'string' ? await this.#post(server, redirectUri, native ? 'web' : 'native') : first;
    if (typeof outcome === 'string')
      return `it rejects registration with the redirect URI ${displayUrl(new URL(redirectUri))} (${first})`;
    this.#context.traceAccepted(STEP, `as ${printable(outcome.id)}`);
    await this.#tokenStore.saveRegistration(server.issuer, outcome);
    return outcome;
  }

  /** Returns the registration, or why the server rejected it. */
  async #post(server: AuthorizationServer, redirectUri: string, type: string): Promise<Registration | string> {
    const { registrationEndpoint: url = '' } = server;
    const json = this.#metadata(server, redirectUri, type);
    const response = await this.#context.web({ step: STEP, method: 'POST', url, body: { json } });
    const document = toDocument(response.json);
    if (response.status >= 500) throw this.#context.failure(STEP, `the server answered with status ${response.status}`);
    if (response.status !== 201 && response.status !== 200) {
      const reasons = [document?.text('error'), document?.text('error_description')].filter((one) => one !== undefined);
      return printable([`status ${response.status}`, ...reasons].join(', ').slice(0, 300));
    }
    const id = document?.text('client_id');
    if (id === undefined) throw this.#context.failure(STEP, 'the response has no client_id');
    const expires = document?.number('client_secret_expires_at') ?? 0;
    return {
      id,
      secret: document?.text('client_secret'),
      method: document?.text('token_endpoint_auth_method'),
      redirectUris: [redirectUri],
      expiresAt: expires === 0 ? undefined : expires * 1000,
    };
  }

  #metadata({ authMethods }: AuthorizationServer, redirectUri: string, type: string): object {
    const methods = ['none', 'client_secret_basic', 'client_secret_post'];
    return {
      client_name: this.#sources.name,
      redirect_uris: [redirectUri],
      application_type: type,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: methods.find((one) => authMethods?.includes(one)) ?? 'none',
      ...(this.#sources.bound ? { dpop_bound_access_tokens: true } : {}),
    };
  }

  /** The last resort: asks the user for a client that they registered themselves. */
  async #askUser({ issuer }: AuthorizationServer, reason: string): Promise<ClientIdentity> {
    const client = await this.#sources.ask?.(issuer);
    if (client !== undefined) {
      await this.#tokenStore.saveRegistration(issuer, { ...client, redirectUris: [] });
      return client;
    }
    const why = `there is no client for ${quoteText(issuer)}, and ${reason}`;
    throw this.#context.failure(STEP, `${why}. Register one and pass it as "client", or pass "clientMetadataUrl"`);
  }
}

/** MCP and the IETF draft for client id metadata documents both require https and a path. */
export function checkMetadataUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits = url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '' && url.username === '';
  if (fits) return text;
  const why = `${quoteText(text)} must be an https URL with a path, and without a user and a fragment`;
  throw badDefinition('The option "clientMetadataUrl"', why);
}
