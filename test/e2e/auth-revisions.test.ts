/** A user signs in to a protected server over real sockets, in every revision: once for the first scopes, once for more. */
import { describe, expect, test } from 'vitest';
import { clientCredentials, oauth } from '../../src/auth/index.ts';
import { type ConnectOptions, connect, revisionIds, type UrlOptions } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import type { Authenticator } from '../../src/model/auth.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { type Dock, type DockOptions, dock } from '../support/guarded-dock.ts';
import { verifies } from '../support/verifies.ts';

const look = tool({ name: 'look', run: (_, { auth }) => `${auth?.subject} has ${auth?.scopes.join(' ')}` });
const order = tool({ name: 'order', scopes: ['orders:write'], run: (_, { auth }) => `${auth?.scopes.join(' ')}` });
const shop = createServer({ name: 'shop', version: '1.0.0', parts: [look, order] });

/** A browser whose user agrees to everything, with the opened URLs. */
function browser(): { readonly opened: URL[]; readonly open: (url: string) => Promise<void> } {
  const opened: URL[] = [];
  const open = async (url: string): Promise<void> => {
    opened.push(new URL(url));
    await fetch(url);
  };
  return { opened, open };
}

describe.each(revisionIds)('in %s', (revision) => {
  const options: ConnectOptions & UrlOptions = { revisions: [revision] };
  // The oldest revision has its own URL.
  const oldest = revision === '2024-11-05';
  const guarded: DockOptions = { bearer: { scopes: ['orders:read'] }, wide: oldest };
  const addressOf = ({ origin, url }: Dock): string => (oldest ? `${origin}/sse` : url);

  test('a person signs in once, and once more when a tool needs more', async () => {
    verifies('AUTH-001', 'AUTH-003', 'AUTH-025', 'AUTH-062', 'AUTH-065', 'AUTH-069', 'AUTH-086');
    await using it = await dock(shop, guarded);
    const { opened, open } = browser();
    await using client = await connect(addressOf(it), { ...options, auth: oauth({ open }) });
    expect((await client.call('look')).text).toBe('ada has orders:read');
    expect((await client.call('order')).text.split(' ').sort()).toEqual(['orders:read', 'orders:write']);
    expect((await client.call('look')).text).toContain('ada');
    expect(opened.map(({ searchParams }) => searchParams.get('scope')?.split(' ').sort())).toEqual([
      ['orders:read'],
      ['orders:read', 'orders:write'],
    ]);
    const resource = oldest ? it.origin : it.url;
    expect(opened.map(({ searchParams }) => searchParams.get('resource'))).toEqual([resource, resource]);
  });

  test('authorization may be left out, or be a matter of your own', async () => {
    verifies('AUTH-001', 'AUTH-002');
    const own: Authenticator = (request) =>
      request.header('x-key') === 'open sesame'
        ? { subject: 'ali', scopes: ['any'] }
        : { status: 401, wwwAuthenticate: 'Key realm="cave"' };
    for (const [auth, headers, text] of [
      [undefined, undefined, 'undefined has undefined'],
      [own, { 'x-key': 'open sesame' }, 'ali has any'],
    ] as const) {
      const http = await serveHttp(shop, { port: 0, sse: '/sse', ...(auth === undefined ? {} : { auth }) });
      const url = oldest ? http.url.replace(/\/mcp$/, '/sse') : http.url;
      try {
        await using client = await connect(url, { ...options, headers });
        expect((await client.call('look')).text).toBe(text);
      } finally {
        await http.close(0);
      }
    }
  });

  test('clients of one endpoint share one sign-in, however many come at once', async () => {
    await using it = await dock(shop, guarded);
    const { opened, open } = browser();
    const auth = oauth({ open });
    const clients = await Promise.all(Array.from({ length: 5 }, () => connect(addressOf(it), { ...options, auth })));
    const texts = await Promise.all(clients.map(async (client) => (await client.call('look')).text));
    expect(new Set(texts)).toEqual(new Set(['ada has orders:read']));
    expect(opened).toHaveLength(1);
    await Promise.all(clients.map((client) => client.close()));
  });
});

test('a job without a person declares how it is let in', async () => {
  verifies('EXTAUTH-6');
  const client = { id: 'job', secret: 's3cret' };
  const seen: unknown[] = [];
  const probe = tool({
    name: 'probe',
    run: (_, { auth, caller }) => {
      seen.push(caller.capabilities.extensions);
      return `${auth?.clientId}`;
    },
  });
  const server = createServer({ name: 'shop', version: '1.0.0', parts: [probe] });
  await using it = await dock(server, { issuing: { clients: [client] } });
  await using connected = await connect(it.url, { auth: clientCredentials({ client }) });
  expect((await connected.call('probe')).text).toBe('job');
  expect(seen).toEqual([{ 'io.modelcontextprotocol/oauth-client-credentials': {} }]);
});

test('ending a session starts no sign-in', async () => {
  await using it = await dock(shop);
  const { opened, open } = browser();
  const client = await connect(it.url, { auth: oauth({ open }), revisions: ['2025-11-25'] });
  await client.call('look');
  it.later(3_600_000);
  await client.close();
  expect(opened).toHaveLength(1);
});
