/** Authorization across implementations: their clients with our protected server, and our client with theirs. */
import type { ClientMetadata } from 'oidc-provider';
import { describe, expect } from 'vitest';
import { jwt, oauth } from '../../src/auth/index.ts';
import { connect } from '../../src/connect/index.ts';
import { Browser } from './authorization/browser.ts';
import { oidc } from './authorization/oidc.ts';
import { protectedServer } from './authorization/protected.ts';
import { program } from './bundle-servers.ts';
import { redirectUrl, type SigningIn, signingIn1, signingIn2 } from './clients/signing-in.ts';
import { meeting } from './met.ts';
import { peerHttpServer } from './peer-server.ts';
import { versionOf } from './version-of.ts';

interface TheirClient {
  readonly peer: string;
  readonly revision: string;
  readonly open: (url: string, clientId?: string) => Promise<SigningIn>;
}

const clients: readonly TheirClient[] = [
  { peer: '@modelcontextprotocol/sdk', revision: '2025-11-25', open: signingIn1 },
  { peer: '@modelcontextprotocol/client', revision: '2025-11-25', open: (url, id) => signingIn2(url, 'legacy', id) },
  { peer: '@modelcontextprotocol/client', revision: '2026-07-28', open: (url, id) => signingIn2(url, 'auto', id) },
];

const narrow = 'registers for the scopes of the first challenge alone, and is granted no more later (RFC 7591, scope)';
const known = {
  client_id: 'official',
  redirect_uris: [redirectUrl],
  grant_types: ['authorization_code', 'refresh_token'],
  application_type: 'native',
  token_endpoint_auth_method: 'none',
} satisfies ClientMetadata;

describe.each(clients)('$peer at our server, in $revision', ({ peer, revision, open }) => {
  const faults = { 'stepping up after registering': narrow };
  const check = meeting({ peer: `${peer} ${versionOf(peer)}`, role: 'client', how: 'signing in', revision, faults });

  check('signing in', 'finds the authorization server, registers, and comes back with a token', async () => {
    await using as = await oidc();
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) });
    const client = await open(server.url);
    try {
      expect(client.revision).toBe(revision);
      expect(await client.call('whoami')).toBe('ada: orders:read');
      expect(client.shown.map((url) => url.searchParams.get('resource'))).toEqual([server.url]);
    } finally {
      await client.close();
    }
  });

  const stepsUp = async (clientId?: string): Promise<void> => {
    await using as = await oidc({ clients: [known] });
    await using server = await protectedServer({ verify: jwt({ issuer: as.issuer }) });
    const client = await open(server.url, clientId);
    try {
      expect(await client.call('refund')).toBe('refunded');
      expect(await client.call('whoami')).toBe('ada: orders:read orders:write');
      expect(client.shown).toHaveLength(2);
    } finally {
      await client.close();
    }
  };

  check('stepping up', 'asks for what one challenge of ours names, and has it', () => stepsUp('official'));

  check('stepping up after registering', 'may be granted more than it needed at first', () => stepsUp());
});

interface TheirServer {
  readonly peer: string;
  readonly program: string;
  readonly revision: string;
}

const servers: readonly TheirServer[] = [
  { peer: '@modelcontextprotocol/sdk', program: 'servers/guarded-sdk-1', revision: '2025-11-25' },
  { peer: '@modelcontextprotocol/sdk', program: 'servers/guarded-sdk-1', revision: '2025-06-18' },
  { peer: '@modelcontextprotocol/sdk', program: 'servers/guarded-sdk-1', revision: '2025-03-26' },
  { peer: '@modelcontextprotocol/server', program: 'servers/guarded-sdk-2', revision: '2026-07-28' },
  { peer: '@modelcontextprotocol/server', program: 'servers/guarded-sdk-2', revision: '2025-11-25' },
];

describe.each(servers)('our client at $peer, in $revision', ({ peer, program: name, revision }) => {
  const check = meeting({ peer: `${peer} ${versionOf(peer)}`, role: 'server', how: 'behind tokens', revision });

  check('signing in', 'is let in with a token that is meant for that server', async () => {
    await using as = await oidc();
    const server = await peerHttpServer(program(name), as.issuer);
    try {
      const { open, visited } = new Browser();
      await using client = await connect(String(server.target), { revisions: [revision], auth: oauth({ open }) });
      expect((await client.call('whoami')).text).toBe('ada: orders:read');
      expect(new URL(visited[0] ?? '').searchParams.get('resource')).toBe(server.target);
    } finally {
      server.stop();
    }
  });

  check('stepping up', 'gets what more a call needs, and keeps what it had', async () => {
    await using as = await oidc();
    const server = await peerHttpServer(program(name), as.issuer);
    try {
      const { open } = new Browser();
      await using client = await connect(String(server.target), { revisions: [revision], auth: oauth({ open }) });
      expect((await client.call('refund')).text).toBe('refunded');
      expect((await client.call('whoami')).text).toBe('ada: orders:read orders:write');
      expect(as.granted).toEqual(['authorization_code', 'authorization_code']);
    } finally {
      server.stop();
    }
  });
});

describe.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
  'our client at a server that issues its tokens itself, in %s',
  (revision) => {
    const name = '@modelcontextprotocol/sdk';
    const how = 'its own authorization router';
    const check = meeting({ peer: `${name} ${versionOf(name)}`, role: 'authorization server', how, revision });

    check('signing in', 'finds the way to a token at the address of the server', async () => {
      const server = await peerHttpServer(program('servers/self-issuing-sdk-1'));
      try {
        const { open } = new Browser();
        await using client = await connect(String(server.target), { revisions: [revision], auth: oauth({ open }) });
        const { origin } = new URL(String(server.target));
        expect((await client.call('whoami')).text).toBe(`orders:read at ${origin}/`);
      } finally {
        server.stop();
      }
    });
  },
);
