/**
 * A small authorization server for tests: metadata, registration, automatic consent, codes with PKCE, refresh with rotation, ID
 * tokens, client credentials, assertions, DPoP, introspection, revocation, key rotation. A function of `Request`; `listening`
 * serves it on a socket.
 */
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { authenticated, type OAuthClient, OAuthFault, proofOf } from './authorization-clients.ts';
import { type Bound, Grants, type Issued } from './authorization-grants.ts';
import { SigningKeys, type TokenOptions } from './signing-keys.ts';

export interface AuthorizationServerOptions {
  /** Default: `https://auth.example`; can have a path. */
  readonly issuer?: string;
  /** Which metadata documents exist; both by default. */
  readonly metadata?: 'oauth' | 'oidc' | 'both' | 'none' | undefined;
  /** Replaces members of the metadata; undefined removes one. */
  readonly says?: Readonly<Record<string, unknown>>;
  /** Clients that are registered in advance. */
  readonly clients?: readonly OAuthClient[];
  /** Whether clients can register; true by default. */
  readonly registration?: boolean;
  /** The user who consents. */
  readonly subject?: string;
  /** Lifetime of tokens; 300 by default. */
  readonly tokenSeconds?: number;
  /** Issues opaque tokens, which need introspection. */
  readonly opaque?: boolean;
  /** Requires a nonce in every DPoP proof. */
  readonly nonces?: boolean;
  /** The `iss` of authorization responses; by default its own, null for none. */
  readonly iss?: string | null;
  /** Validates the assertion of a jwt-bearer grant: returns the claims of the token, or undefined. */
  readonly accepts?: (assertion: string, form: URLSearchParams) => Promise<JsonObject | undefined>;
  /** Seconds since 1970. */
  readonly now?: () => number;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** From the query, or from the form. */
  readonly params: URLSearchParams;
  readonly json?: JsonObject;
}

type Route = (seen: SeenRequest) => Response | Promise<Response>;

export class AuthorizationServer {
  readonly issuer: string;
  readonly keys: SigningKeys;
  /** All requests, in order. */
  readonly requests: SeenRequest[] = [];
  /** Routes that replace the server's, by path. */
  readonly instead: Map<string, Route> = new Map();
  readonly clients: Map<string, OAuthClient> = new Map();
  readonly #options: AuthorizationServerOptions;
  readonly #grants: Grants;
  readonly #routes: ReadonlyMap<string, Route>;
  /** The nonce that proofs need, if they need one. */
  nonce = 'nonce-1';

  constructor(options: AuthorizationServerOptions = {}) {
    this.#options = options;
    this.issuer = options.issuer ?? 'https://auth.example';
    const now = options.now ?? ((): number => Math.floor(Date.now() / 1000));
    this.keys = new SigningKeys({ issuer: this.issuer, now, seconds: options.tokenSeconds ?? 300 });
    this.#grants = new Grants(this.keys, options.opaque === true);
    for (const client of options.clients ?? []) this.clients.set(client.id, client);
    this.#routes = this.#routing();
  }

  /** Issues an access token without a flow. */
  issue(claims: JsonObject, how?: TokenOptions): Promise<string> {
    return this.keys.sign({ sub: this.#options.subject ?? 'ada', client_id: 'cli', ...claims }, how);
  }

  /** Revokes a token, which introspection then reports. */
  revoke(token: string): void {
    this.#grants.revoke(token);
  }

  /** Whether an access or refresh token is valid. */
  isGood(token: string): boolean {
    return this.#grants.isRefreshable(token) || this.#grants.introspected(token)['active'] === true;
  }

  /** The requested paths, in order. */
  get paths(): string[] {
    return this.requests.map(({ path }) => path);
  }

  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const text = await request.text();
    const isJson = request.headers.get('content-type')?.startsWith('application/json') === true;
    const seen: SeenRequest = {
      method: request.method,
      path: url.pathname,
      headers: request.headers,
      params: request.method === 'GET' ? url.searchParams : new URLSearchParams(isJson ? '' : text),
      ...(isJson ? { json: JSON.parse(text) as JsonObject } : {}), // a test sent it
    };
    this.requests.push(seen);
    const route = this.instead.get(seen.path) ?? this.#routes.get(`${seen.method} ${seen.path}`);
    try {
      return (await route?.(seen)) ?? new Response('Not found', { status: 404 });
    } catch (thrown) {
      if (!(thrown instanceof OAuthFault)) throw thrown;
      const headers: Record<string, string> = thrown.error === 'use_dpop_nonce' ? { 'dpop-nonce': this.nonce } : {};
      return answered({ error: thrown.error, error_description: thrown.message }, thrown.status, headers);
    }
  };

  /** The current metadata document. */
  document(): JsonObject {
    const at = (name: string): string => `${this.issuer}/${name}`;
    const all = {
      issuer: this.issuer,
      authorization_endpoint: at('authorize'),
      token_endpoint: at('token'),
      jwks_uri: at('jwks'),
      introspection_endpoint: at('introspect'),
      revocation_endpoint: at('revoke'),
      ...(this.#options.registration === false ? {} : { registration_endpoint: at('register') }),
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', JWT_BEARER, TOKEN_EXCHANGE],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256'],
      authorization_response_iss_parameter_supported: this.#options.iss !== null,
      dpop_signing_alg_values_supported: ['ES256'],
      ...this.#options.says,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  }

  #routing(): Map<string, Route> {
    const { metadata = 'both' } = this.#options;
    const { pathname } = new URL(this.issuer);
    const base = pathname === '/' ? '' : pathname;
    const document = (): Response => answered(this.document());
    const routes = new Map<string, Route>([
      [`GET ${base}/jwks`, async () => answered({ keys: await this.keys.published() })],
      [`GET ${base}/authorize`, (seen) => this.#authorize(seen)],
      [`POST ${base}/token`, (seen) => this.#token(seen)],
      [`POST ${base}/introspect`, (seen) => this.#introspect(seen)],
      [`POST ${base}/revoke`, (seen) => this.#revoke(seen)],
      [`POST ${base}/register`, (seen) => this.#register(seen)],
    ]);
    if (metadata === 'oauth' || metadata === 'both')
      routes.set(`GET /.well-known/oauth-authorization-server${base}`, document);
    if (metadata === 'oidc' || metadata === 'both')
      routes.set(`GET ${base}/.well-known/openid-configuration`, document);
    return routes;
  }

  /** The user agrees. */
  #authorize({ params }: SeenRequest): Response {
    const client = this.clients.get(params.get('client_id') ?? '');
    const redirectUri = params.get('redirect_uri') ?? '';
    // Never redirects to a URI that the client did not register.
    if (client === undefined || client.redirectUris?.includes(redirectUri) !== true)
      throw new OAuthFault('invalid_request', 'unknown client or redirect_uri');
    const back = new URL(redirectUri);
    const { iss = this.issuer } = this.#options;
    if (iss !== null) back.searchParams.set('iss', iss);
    const state = params.get('state');
    if (state !== null) back.searchParams.set('state', state);
    if (params.get('code_challenge_method') !== 'S256') back.searchParams.set('error', 'invalid_request');
    else back.searchParams.set('code', this.#grants.consent(params, this.#options.subject ?? 'ada'));
    return new Response(null, { status: 302, headers: { location: back.href } });
  }

  async #token({ params, headers }: SeenRequest): Promise<Response> {
    const tokenEndpoint = `${this.issuer}/token`;
    const jkt = await proofOf(headers, {
      url: tokenEndpoint,
      nonce: this.#options.nonces === true ? this.nonce : undefined,
    });
    const grant = params.get('grant_type');
    // This grant authenticates with its assertion.
    const client =
      grant === JWT_BEARER && !params.has('client_id') && !headers.has('authorization')
        ? undefined
        : await authenticated({ params, headers }, { clients: this.clients, audiences: [this.issuer, tokenEndpoint] });
    const bound: Bound = { client, jkt };
    return answered(await this.#granted(grant, params, bound), 200, { 'cache-control': 'no-store' });
  }

  async #granted(grant: string | null, params: URLSearchParams, bound: Bound): Promise<Issued> {
    if (grant === 'authorization_code') return this.#grants.byCode(params, bound);
    if (grant === 'refresh_token') return this.#grants.byRefresh(params, bound);
    if (grant === 'client_credentials') return this.#grants.byClient(params, bound);
    if (grant === TOKEN_EXCHANGE) return this.#grants.byExchange(params, bound);
    if (grant !== JWT_BEARER) throw new OAuthFault('unsupported_grant_type', `no ${grant}`);
    const claims = await this.#options.accepts?.(params.get('assertion') ?? '', params);
    if (claims === undefined) throw new OAuthFault('invalid_grant', 'the assertion is not accepted');
    return this.#grants.byAssertion(claims, params, bound);
  }

  async #introspect({ params, headers }: SeenRequest): Promise<Response> {
    await authenticated({ params, headers }, { clients: this.clients, audiences: [this.issuer] });
    return answered(this.#grants.introspected(params.get('token') ?? ''));
  }

  /** RFC 7009: revoking an unknown token is not an error. */
  async #revoke({ params, headers }: SeenRequest): Promise<Response> {
    await authenticated({ params, headers }, { clients: this.clients, audiences: [this.issuer] });
    this.#grants.revoke(params.get('token') ?? '');
    return new Response(null, { status: 200 });
  }

  #register({ json = {} }: SeenRequest): Response {
    if (this.#options.registration === false) throw new OAuthFault('invalid_request', 'nobody registers here', 403);
    const redirectUris = json['redirect_uris'];
    if (!Array.isArray(redirectUris)) throw new OAuthFault('invalid_redirect_uri', 'redirect_uris are missing');
    const id = `client-${this.clients.size + 1}`;
    const method = json['token_endpoint_auth_method'] ?? 'client_secret_basic';
    const secret = method === 'none' ? undefined : `secret-of-${id}`;
    this.clients.set(id, { id, redirectUris: redirectUris.map(String), ...(secret === undefined ? {} : { secret }) });
    const registered = { ...json, client_id: id, token_endpoint_auth_method: method };
    return answered(secret === undefined ? registered : { ...registered, client_secret: secret }, 201);
  }
}

export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

export const answered = (body: object, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
