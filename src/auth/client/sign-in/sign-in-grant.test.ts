/** The grant of `oauth()`: what it sends, and when it stops before a browser opens. */
import { beforeEach, describe, expect, test } from 'vitest';
import { OAuthWorld, type WorldOptions } from '../../../../test/support/oauth-world.ts';
import { memoryCredentials } from '../credentials/credential-store.ts';
import { type HeldTokens, TokenStore } from '../credentials/token-store.ts';
import { type AuthorizationServer, findAuthorizationServer } from '../discovery/authorization-server.ts';
import { DpopProofs } from '../identity/dpop.ts';
import { Registrar } from '../registration/registrar.ts';
import type { Grant } from '../tokens/grant.ts';
import { oauth } from './oauth.ts';
import type { SignIn } from './sign-in.ts';
import { signInGrant } from './sign-in-grant.ts';

const resource = 'https://mcp.example/mcp';
let events: string[];
let control: AbortController;
/** What the user does instead of agreeing. */
let onShown: (() => Promise<string>) | undefined;
beforeEach(() => {
  events = [];
  onShown = undefined;
  control = new AbortController();
});

interface Scene {
  readonly world: OAuthWorld;
  readonly grant: Grant;
  readonly server: AuthorizationServer;
  readonly tokenStore: TokenStore;
  obtain(): ReturnType<Grant['obtain']>;
}

async function scene(how: WorldOptions = {}, proofs?: DpopProofs): Promise<Scene> {
  const world = new OAuthWorld(how);
  const { context } = world;
  const tokenStore = new TokenStore(memoryCredentials());
  const sources = { name: 'Quay', bound: proofs !== undefined };
  const registrar = new Registrar(context, sources, tokenStore);
  const signIn: SignIn = {
    begin: async (known) => {
      events.push('begin');
      const { redirectUri, finish } = await world.signIn.begin(known);
      const close = async (): Promise<void> => {
        await Promise.resolve();
        events.push('close');
      };
      return { redirectUri, finish: (url) => onShown?.() ?? finish(url), close };
    },
  };
  const server = await findAuthorizationServer(context, world.server.issuer);
  const grant = signInGrant({ context, registrar, signIn, proofs });
  const obtain: Scene['obtain'] = () =>
    grant.obtain({ server, resource, scopes: ['read'], signal: control.signal }).finally(() => events.push('over'));
  return { world, grant, server, tokenStore, obtain };
}

describe('a sign-in', () => {
  test('a sign-in is closed before the token is returned', async () => {
    const { obtain } = await scene();
    expect(await obtain()).toMatchObject({ scheme: 'Bearer', clientId: 'client-1' });
    expect(events).toEqual(['begin', 'close', 'over']);
  });

  test('a sign-in is closed if it fails', async () => {
    const { world, obtain } = await scene();
    world.returning = ({ origin }) => `${origin}/callback?code=c1`;
    await expect(obtain()).rejects.toThrow('belongs to another sign-in');
    expect(events).toEqual(['begin', 'close', 'over']);
  });

  test('a sign-in with a redirect URI that is not allowed is closed, and no browser opens', async () => {
    const { world, obtain } = await scene();
    world.redirectUri = 'http://app.example/callback';
    await expect(obtain()).rejects.toThrow('The redirectUri of "signIn"');
    expect([events, world.shown]).toEqual([['begin', 'close', 'over'], []]);
  });

  test('a sign-in that was cancelled before it begins does not begin', async () => {
    const { obtain } = await scene();
    control.abort(new Error('cancelled'));
    await expect(obtain()).rejects.toThrow('cancelled');
    expect(events).toEqual(['over']);
  });

  test('a sign-in that is cancelled while the client registers opens no browser', async () => {
    const { world, obtain } = await scene();
    world.instead = ({ url }) => {
      if (url.endsWith('/register')) control.abort(new Error('cancelled'));
      return undefined;
    };
    await expect(obtain()).rejects.toThrow('cancelled');
    expect([events, world.shown]).toEqual([['begin', 'close', 'over'], []]);
  });

  test('a sign-in that is cancelled while the user is away is closed', async () => {
    const { obtain } = await scene();
    onShown = () => {
      control.abort(new Error('cancelled'));
      return new Promise(() => undefined);
    };
    await expect(obtain()).rejects.toThrow('cancelled');
    expect(events).toEqual(['begin', 'close', 'over']);
  });

  test('a sign-in with DPoP does not begin at an authorization server without it', async () => {
    const says = { dpop_signing_alg_values_supported: undefined };
    const { obtain } = await scene({ servers: [{ says }] }, new DpopProofs());
    await expect(obtain()).rejects.toThrow('does not announce DPoP');
    expect(events).toEqual(['over']);
  });

  test('a sign-in with DPoP names the key in the authorization request, and is bound to it when refreshed', async () => {
    const proofs = new DpopProofs();
    const { world, grant, server, obtain } = await scene({}, proofs);
    const tokens = await obtain();
    expect(tokens.scheme).toBe('DPoP');
    expect(world.shown[0]?.searchParams.get('dpop_jkt')).toBe(await proofs.thumbprint());
    const held = { ...tokens, issuer: server.issuer, resource, requested: [] };
    expect(await grant.refresh?.(server, held)).toMatchObject({ scheme: 'DPoP' });
  });

  test('a sign-in is repeated once if the authorization server no longer knows the client', async () => {
    const { world, obtain } = await scene();
    world.server.instead.set('/token', () => Response.json({ error: 'invalid_client' }, { status: 401 }));
    await expect(obtain()).rejects.toThrow('invalid_client');
    expect(events).toEqual(['begin', 'close', 'begin', 'close', 'over']);
  });

  test('a sign-in is not repeated if the authorization server rejects the code', async () => {
    const { world, obtain } = await scene();
    world.server.instead.set('/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 }));
    await expect(obtain()).rejects.toThrow('invalid_grant');
    expect(events).toEqual(['begin', 'close', 'over']);
  });
});

describe('a refresh', () => {
  async function refreshed(error: string): Promise<[outcome: unknown, stored: number]> {
    const { world, grant, server, tokenStore, obtain } = await scene();
    const held: HeldTokens = { ...(await obtain()), issuer: server.issuer, resource, requested: [] };
    world.server.instead.set('/token', () => Response.json({ error }, { status: 400 }));
    const outcome = await grant.refresh?.(server, held);
    return [outcome, (await tokenStore.registrations(server.issuer)).length];
  }

  test('a refresh of a client that the authorization server no longer knows removes its registration', async () => {
    expect(await refreshed('invalid_client')).toEqual([expect.objectContaining({ refused: 'invalid_client' }), 0]);
  });

  test('a refresh that is rejected keeps the registration', async () => {
    expect(await refreshed('invalid_grant')).toEqual([expect.objectContaining({ refused: 'invalid_grant' }), 1]);
  });

  test('a refresh names the resource, and keeps what the response omits', async () => {
    const { world, grant, server, obtain } = await scene();
    const user = { subject: 'ada' };
    const held = { ...(await obtain()), issuer: server.issuer, resource, requested: [], scopes: ['read'], user };
    world.server.instead.set('/token', () => Response.json({ access_token: 'new', token_type: 'bearer' }));
    expect(await grant.refresh?.(server, held)).toMatchObject({
      accessToken: 'new',
      refreshToken: held.refreshToken,
      clientId: 'client-1',
      scopes: ['read'],
      user,
    });
    expect(world.tokenForms.at(-1)?.get('resource')).toBe(resource);
  });
});

test('a sign-in without DPoP needs no authorization server with it', async () => {
  const { obtain } = await scene({ servers: [{ says: { dpop_signing_alg_values_supported: undefined } }] });
  expect(await obtain()).toMatchObject({ scheme: 'Bearer' });
});

test('a sign-in is not repeated with a preregistered client that the authorization server does not know', async () => {
  const clients = [{ id: 'cli', redirectUris: ['http://127.0.0.1:4000/callback'] }];
  const world = new OAuthWorld({ servers: [{ clients }] });
  world.server.instead.set('/token', () => Response.json({ error: 'invalid_client' }, { status: 401 }));
  const auth = oauth({ client: { id: 'cli' }, signIn: world.signIn, fetch: world.fetch })(world.endpoint);
  await expect(world.enter(auth)).rejects.toThrow('invalid_client');
  expect(world.shown).toHaveLength(1);
});

test('a sign-in for which no scope is known requests none', async () => {
  const { world, grant, server } = await scene();
  expect(await grant.obtain({ server, resource, scopes: undefined })).toMatchObject({ scheme: 'Bearer' });
  expect(world.shown[0]?.searchParams.has('scope')).toBe(false);
});
