/** The certified authorization server from npm, on a socket, with a user who agrees to everything. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider';

export interface OidcOptions {
  /** Clients that are registered in advance. */
  readonly clients?: readonly ClientMetadata[];
  /** Issues opaque tokens, which need introspection. */
  readonly opaque?: boolean;
  /** Requires its nonce in every DPoP proof. */
  readonly nonces?: boolean;
  /** Default: 300. */
  readonly tokenSeconds?: number;
}

export interface Oidc extends AsyncDisposable {
  readonly issuer: string;
  /** The grants that were exchanged for tokens, in order. */
  readonly granted: string[];
  /** Error codes of the token endpoint. */
  readonly refused: string[];
  /** How often the user was asked. */
  readonly consents: () => number;
}

export const SCOPES = 'orders:read orders:write';

export async function oidc(options: OidcOptions = {}): Promise<Oidc> {
  const http = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // it listens on a port
  const provider = new Provider(issuer, await configuration(options));
  const [granted, refused]: [string[], string[]] = [[], []];
  let consents = 0;
  provider.on('grant.success', (ctx) => void granted.push(String(ctx.oidc.params?.['grant_type'])));
  provider.on('grant.error', (_, { error }) => void refused.push(error));
  const callback = provider.callback();
  http.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/') === true) {
      consents++;
      void agreed(provider, request, response);
    } else void callback(request, response);
  });
  return {
    issuer,
    granted,
    refused,
    consents: () => consents,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

async function configuration(options: OidcOptions): Promise<Configuration> {
  const { tokenSeconds = 300 } = options;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const format = options.opaque === true ? 'opaque' : 'jwt';
  return {
    clients: [...(options.clients ?? [])],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'k1' }] },
    cookies: { keys: ['only for this test'] },
    ttl: {
      Interaction: 60,
      Session: 60,
      Grant: 60,
      AccessToken: tokenSeconds,
      ClientCredentials: 60,
      RefreshToken: 60,
    },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      dPoP: {
        enabled: true,
        ...(options.nonces === true ? { nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true } : {}),
      },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          scope: SCOPES,
          audience: resource,
          accessTokenFormat: format,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  };
}

/** Signs in as ada, and consents to everything. */
async function agreed(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'ada' } });
    return;
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
  const { missingOIDCScope, missingResourceScopes } = prompt.details as Missing; // as the library documents it
  grant.addOIDCScope(missingOIDCScope?.join(' ') ?? '');
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

interface Missing {
  readonly missingOIDCScope?: readonly string[];
  readonly missingResourceScopes?: Readonly<Record<string, readonly string[]>>;
}
