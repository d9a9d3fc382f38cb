/** Our client and our resource server with a certified authorization server, over real sockets. */
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect } from 'vitest';
import { clientCredentials, introspection, jwt, memoryCredentials, oauth } from '../../src/auth/index.ts';
import { connect } from '../../src/connect/index.ts';
import { type Clock, systemClock } from '../../src/peer/clock.ts';
import { Browser } from './authorization/browser.ts';
import { oidc } from './authorization/oidc.ts';
import { protectedServer } from './authorization/protected.ts';
import { meeting } from './met.ts';
import { versionOf } from './version-of.ts';

const peer = `oidc-provider ${versionOf('oidc-provider')}`;

describe.each(['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'])('a person, in %s', (revision) => {
  const check = meeting({ peer, role: 'authorization server', how: 'a person signs in', revision });
  const revisions = [revision];

  check(
    'registration, code and PKCE',
    'registers, signs in, and is known by a token that is meant for us',
    async () => {
      await using as = await oidc();
      await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) }, revisions);
      const { open, visited } = new Browser();
      await using client = await connect(server.url, { revisions, auth: oauth({ open }) });
      expect((await client.call('whoami')).text).toBe('ada: orders:read');
      expect(as.granted).toEqual(['authorization_code']);
      const asked = new URL(visited[0] ?? '').searchParams;
      expect([asked.get('resource'), asked.get('code_challenge_method')]).toEqual([server.url, 'S256']);
      expect(server.refusals.map(({ status }) => status)).toEqual([401]);
    },
  );

  check('stepping up', 'asks for more when a tool needs more', async () => {
    await using as = await oidc();
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) }, revisions);
    const { open } = new Browser();
    await using client = await connect(server.url, { revisions, auth: oauth({ open }) });
    expect((await client.call('whoami')).text).toBe('ada: orders:read');
    expect((await client.call('refund')).text).toBe('refunded');
    expect((await client.call('whoami')).text).toBe('ada: orders:read orders:write');
    expect(as.granted).toEqual(['authorization_code', 'authorization_code']);
  });

  check('refresh with rotation', 'renews a token before it ends, with the refresh token that came last', async () => {
    await using as = await oidc();
    // The client's clock: its token seems to expire soon, and no pause of the machine affects another one.
    let ahead = 0;
    const clock: Clock = { ...systemClock, wall: () => systemClock.wall() + ahead };
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) }, revisions);
    const { open } = new Browser();
    const written: string[] = [];
    const memory = memoryCredentials();
    const write = async (key: string, value: string): Promise<void> => {
      written.push(...(/"refreshToken":"([^"]+)"/.exec(value)?.slice(1) ?? []));
      await memory.write(key, value);
    };
    const auth = oauth({ open, clock, store: { ...memory, write } });
    await using client = await connect(server.url, { revisions, auth });
    for (let renewals = 0; renewals < 2; renewals++) {
      ahead += 299_000;
      expect((await client.call('whoami')).text).toBe('ada: orders:read');
    }
    expect(as.granted).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
    expect(as.refused).toEqual([]);
    expect(new Set(written).size).toBe(3);
  });
});

describe('keys', () => {
  const check = meeting({ peer, role: 'authorization server', how: 'tokens bound to a key', revision: '2026-07-28' });

  check('DPoP', 'proves that it holds the key, at both servers', async () => {
    await using as = await oidc();
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }), dpop: 'required' });
    const { open } = new Browser();
    await using client = await connect(server.url, { auth: oauth({ open, dpop: true }) });
    expect((await client.call('whoami')).text).toBe('ada: orders:read');
    expect(new Set(server.shown.map((field) => field.split(' ')[0]))).toEqual(new Set(['DPoP']));
  });

  check('DPoP with nonces', 'takes up the nonce that each server wants', async () => {
    await using as = await oidc({ nonces: true });
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }), dpop: 'required', nonces: true });
    const { open } = new Browser();
    await using client = await connect(server.url, { auth: oauth({ open, dpop: true }) });
    for (let calls = 0; calls < 3; calls++) expect((await client.call('whoami')).text).toBe('ada: orders:read');
    expect(as.refused).toEqual(['use_dpop_nonce']);
    expect(as.granted).toEqual(['authorization_code']);
  });
});

describe('machines', () => {
  const check = meeting({ peer, role: 'authorization server', how: 'machines', revision: '2026-07-28' });
  const machine = { client_id: 'nightly', grant_types: ['client_credentials'], redirect_uris: [], response_types: [] };
  const secret = 'a secret of enough characters';

  check('client credentials with a secret', 'is let in as itself', async () => {
    await using as = await oidc({ clients: [{ ...machine, client_secret: secret }] });
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) });
    const auth = clientCredentials({ client: { id: 'nightly', secret, issuer: as.issuer } });
    await using client = await connect(server.url, { auth });
    expect((await client.call('refund')).text).toBe('refunded');
    expect(new Set(as.granted)).toEqual(new Set(['client_credentials']));
  });

  check('client credentials with a key', 'signs who it is', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'ES256', kid: 'n1' }] };
    const token_endpoint_auth_method = 'private_key_jwt';
    await using as = await oidc({ clients: [{ ...machine, token_endpoint_auth_method, jwks }] });
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) });
    const key = { privateKey: await exportPKCS8(privateKey), alg: 'ES256' };
    const auth = clientCredentials({ client: { id: 'nightly', ...key, issuer: as.issuer } });
    await using client = await connect(server.url, { auth });
    expect((await client.call('whoami')).text).toContain('orders:read');
    expect(as.refused).toEqual([]);
  });

  check('introspection', 'takes tokens that only their issuer can read', async () => {
    const resourceServer = {
      client_id: 'shop',
      client_secret: secret,
      redirect_uris: [],
      response_types: [],
      grant_types: [],
    };
    await using as = await oidc({ opaque: true, clients: [{ ...machine, client_secret: secret }, resourceServer] });
    const client = { id: 'shop', secret };
    const endpoint = `${as.issuer}/token/introspection`;
    await using server = await protectedServer({ verify: introspection({ issuer: as.issuer, endpoint, client }) });
    const auth = clientCredentials({ client: { id: 'nightly', secret, issuer: as.issuer } });
    await using job = await connect(server.url, { auth });
    expect((await job.call('whoami')).text).toContain('orders:read');
  });
});

describe('a token of the same issuer', () => {
  const check = meeting({ peer, role: 'authorization server', how: 'two servers', revision: '2026-07-28' });

  check('audiences', 'is good at the server it is meant for, and at no other', async () => {
    await using as = await oidc();
    const judging = { verify: jwt({ issuer: as.issuer }) };
    await using one = await protectedServer(judging);
    await using other = await protectedServer(judging);
    const { open } = new Browser();
    const auth = oauth({ open });
    await using first = await connect(one.url, { auth });
    await using second = await connect(other.url, { auth });
    expect((await first.call('whoami')).text).toBe((await second.call('whoami')).text);
    expect(as.granted).toEqual(['authorization_code', 'authorization_code']);
    expect(other.refusals.map(({ status }) => status)).toEqual([401]);
    const stolen = { method: 'POST', headers: { authorization: one.shown[0] ?? '' } };
    expect([(await fetch(one.url, stolen)).status, (await fetch(other.url, stolen)).status]).toEqual([415, 401]);
    expect(other.refusals.at(-1)?.why).toContain(other.url);
  });
});
