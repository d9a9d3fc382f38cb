/** Gets the client a name at an authorization server: one it has, a document about it, registration (RFC 7591), or the user's word. */
import { McpError } from '../../../errors.ts';
import { displayUrl, printable } from '../../../model/printable.ts';
import type { AuthContext } from '../context/auth-context.ts';
import { isLoopbackUrl } from '../context/browser-url.ts';
import { toDocument } from '../context/metadata-document.ts';
import type { Registration, TokenStore } from '../credentials/token-store.ts';
import type { AuthorizationServer } from '../discovery/authorization-server.ts';
import type { ClientIdentity } from '../identity/client-identity.ts';
import type { IssuerBinding, KnownClient } from './issuer-binding.ts';

export interface ClientSources {
  readonly client?: KnownClient | undefined;
  readonly binding: IssuerBinding;
  /** The https URL of a document about the client, which is its id. */
  readonly metadataUrl?: string | undefined;
  /** What a person is shown when asked for consent. */
  readonly name: string;
  /** Whether tokens are to be bound to a key. */
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

  /** Addresses that this authorization server may send a person back to. */
  async redirectUris({ issuer }: AuthorizationServer): Promise<readonly string[]> {
    return (await this.#tokenStore.registrations(issuer)).flatMap(({ redirectUris }) => redirectUris);
  }

  /** In the order of preference; registers if need be. */
  async clientFor(server: AuthorizationServer, redirectUri: string): Promise<ClientIdentity> {
    const known = await this.#given(server);
    if (known !== undefined) return known;
    const registered = await this.#tokenStore.registrations(server.issuer);
    const usable = registered.find((one) => this.#usable(one, redirectUri));
    if (usable !== undefined) {
      this.#context.traceChoice(STEP, `registered before as ${printable(usable.id)}`);
      return usable;
    }
    const outcome = await this.#register(server, redirectUri);
    return typeof outcome === 'string' ? this.#asked(server, outcome) : outcome;
  }

  /** The client that tokens were issued to, if it is still known. */
  async formerClient(server: AuthorizationServer, id: string | undefined): Promise<ClientIdentity | undefined> {
    const given = await this.#given(server);
    const clients = given === undefined ? await this.#tokenStore.registrations(server.issuer) : [given];
    return clients.find((client) => client.id === id);
  }

  /** The server does not know the client any more. True if another can be had. */
  async forgetClient(server: AuthorizationServer, id: string): Promise<boolean> {
    if ((await this.#given(server)) !== undefined) return false;
    this.#context.traceChoice(STEP, 'the authorization server no longer knows the client; it is registered anew');
    await this.#tokenStore.removeRegistration(server.issuer, id);
    return true;
  }

  async #given({ issuer, takesDocuments }: AuthorizationServer): Promise<ClientIdentity | undefined> {
    const { binding, client, metadataUrl } = this.#sources;
    if (client !== undefined) {
      await binding.check(this.#context, client, { issuer, step: STEP });
      return client;
    }
    return metadataUrl !== undefined && takesDocuments ? { id: metadataUrl, method: 'none' } : undefined;
  }

  #usable({ expiresAt, redirectUris }: Registration, redirectUri: string): boolean {
    const alive = expiresAt === undefined || expiresAt > this.#context.clock.wall();
    // Where the addresses are not known, somebody else has registered the client, and said where it comes back to.
    return alive && (redirectUris.length === 0 || redirectUris.includes(redirectUri));
  }

  /** The client, or why it cannot be registered. */
  async #register(server: AuthorizationServer, redirectUri: string): Promise<ClientIdentity | string> {
    if (server.registrationEndpoint === undefined) return 'it registers none';
    const native = isLoopbackUrl(new URL(redirectUri));
    const first = await this.#post(server, redirectUri, native ? 'native' : 'web');
    // Some servers take an address on this machine from the one kind of application only, and some from the other.
    const outcome =
      typeof first === 'string' ? await this.#post(server, redirectUri, native ? 'web' : 'native') : first;
    if (typeof outcome === 'string')
      return `it registers none that comes back to ${displayUrl(new URL(redirectUri))} (${first})`;
    this.#context.traceAccepted(STEP, `as ${printable(outcome.id)}`);
    await this.#tokenStore.saveRegistration(server.issuer, outcome);
    return outcome;
  }

  /** The registration, or why there is none. */
  async #post(server: AuthorizationServer, redirectUri: string, type: string): Promise<Registration | string> {
    const { registrationEndpoint: url = '' } = server;
    const json = this.#metadata(server, redirectUri, type);
    const headers = { accept: 'application/json' };
    const answer = await this.#context.web({ step: STEP, method: 'POST', url, headers, body: { json } });
    const document = toDocument(answer.json);
    if (answer.status >= 500) throw this.#context.failure(STEP, `the server answered with status ${answer.status}`);
    if (answer.status !== 201 && answer.status !== 200) {
      const said = [document?.text('error'), document?.text('error_description')].filter((one) => one !== undefined);
      return printable([`status ${answer.status}`, ...said].join(', ').slice(0, 300));
    }
    const id = document?.text('client_id');
    if (id === undefined) throw this.#context.failure(STEP, 'the answer has no client_id');
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

  /** Somebody knows, or nobody does. */
  async #asked({ issuer }: AuthorizationServer, refusal: string): Promise<ClientIdentity> {
    const client = await this.#sources.ask?.(issuer);
    if (client !== undefined) {
      await this.#tokenStore.saveRegistration(issuer, { ...client, redirectUris: [] });
      return client;
    }
    const why = `${printable(issuer.slice(0, 200))} knows no client of ours, and ${refusal}`;
    throw this.#context.failure(
      STEP,
      `${why}. Register one there, and pass it as "client", or pass "clientMetadataUrl"`,
    );
  }
}

/** The document must be on the web, and not at its root: RFC drafts and MCP agree on that much. */
export function checkMetadataUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits = url?.protocol === 'https:' && url.pathname !== '/' && url.hash === '' && url.username === '';
  if (fits) return text;
  const why = `${printable(text.slice(0, 200))} must be an https URL with a path, and without a user and a fragment`;
  throw new McpError('MCP_BAD_DEFINITION', { what: 'The option "clientMetadataUrl"', why });
}
