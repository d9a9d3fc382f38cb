/** The parts of a sign-in together: a user, a browser, an authorization server, a protected server, a file. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { expect, test } from 'vitest';
import { type BearerOptions, bearer, fileCredentials, jwt, manualSignIn, oauth } from '../../src/auth/index.ts';
import { connect } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import { nodeHandler } from '../../src/transport/node.ts';
import { dock } from '../support/guarded-dock.ts';
import { listeningAuthorizationServer } from '../support/listening.ts';
import { verifies } from '../support/verifies.ts';

interface Seen {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly dpop: string | undefined;
}

interface Protected extends AsyncDisposable {
  readonly url: string;
  /** The credentials that the endpoint received, by request. */
  readonly seen: Seen[];
}

/** An MCP server on a socket that accepts tokens of one issuer. */
async function protectedServer(issuer: string, options: Partial<BearerOptions> = {}): Promise<Protected> {
  const whoami = tool({ name: 'whoami', run: (_, { auth }) => `${auth?.subject}` });
  const server = createServer({ name: 'shop', version: '1.0.0', parts: [whoami] });
  const seen: Seen[] = [];
  const http = createHttpServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo; // it listens on a port
  const url = `http://127.0.0.1:${port}/mcp`;
  const handler = nodeHandler(server, {
    path: '/mcp',
    auth: bearer({ verify: jwt({ issuer }), audience: url, ...options }),
  });
  http.on('request', (request, response) => {
    const { method = '', headers } = request;
    const dpop = headers['dpop'];
    if (request.url === '/mcp')
      seen.push({ method, authorization: headers.authorization, dpop: typeof dpop === 'string' ? dpop : undefined });
    handler(request, response);
  });
  return {
    url,
    seen,
    async [Symbol.asyncDispose]() {
      await handler.close(0);
      http.closeAllConnections();
      http.close();
    },
  };
}

/** A browser whose user agrees to everything. */
function browser(): { readonly opened: string[]; readonly open: (url: string) => Promise<void> } {
  const opened: string[] = [];
  return {
    opened,
    async open(url) {
      opened.push(url);
      expect(await (await fetch(url)).text()).toContain('You may close this window');
    },
  };
}

test('who signed in once is known to the next process, through a file', async () => {
  verifies('AUTH-096', 'AUTH-102');
  await using as = await listeningAuthorizationServer();
  await using server = await protectedServer(as.origin);
  const folder = await mkdtemp(join(tmpdir(), 'mooring-'));
  try {
    const path = join(folder, 'kept', 'credentials');
    const { opened, open } = browser();
    for (let processes = 0; processes < 2; processes++) {
      const store = fileCredentials(path, { key: new Uint8Array(32).fill(1) });
      await using client = await connect(server.url, { auth: oauth({ open, store }) });
      expect((await client.call('whoami')).text).toBe('ada');
    }
    expect(opened).toHaveLength(1);
    expect(as.auth.paths.filter((at) => at === '/register')).toHaveLength(1);
    const kept = await readFile(path, 'latin1');
    const tokens = server.seen.flatMap(({ authorization }) => authorization?.split(' ')[1] ?? []);
    expect(tokens.filter((token) => kept.includes(token))).toEqual([]);
    expect(tokens.length).toBeGreaterThanOrEqual(2);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a person without a browser pastes where they were sent to', async () => {
  await using as = await listeningAuthorizationServer();
  await using server = await protectedServer(as.origin);
  const signIn = manualSignIn({
    redirectUri: 'http://127.0.0.1:1/callback',
    ask: async ({ url }) => (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '',
  });
  await using client = await connect(server.url, { auth: oauth({ signIn }) });
  expect((await client.call('whoami')).text).toBe('ada');
});

test('an origin as the audience covers both addresses of a server that also has HTTP+SSE', async () => {
  const whoami = tool({ name: 'whoami', run: (_, { auth }) => `${auth?.subject}` });
  const server = createServer({ name: 'shop', version: '1.0.0', parts: [whoami] });
  await using at = await dock(server, { wide: true });
  const auth = oauth({ open: browser().open });
  await using newest = await connect(at.url, { auth });
  await using oldest = await connect(`${at.origin}/sse`, { auth, revisions: ['2024-11-05'] });
  expect([(await newest.call('whoami')).text, (await oldest.call('whoami')).text]).toEqual(['ada', 'ada']);
  expect(
    at.issuer.requests.filter(({ path }) => path === '/token').map(({ params }) => params.get('resource')),
  ).toEqual([at.origin, at.origin]);
});

test('a key is proven to be held: at the token endpoint, with every request, and with the nonces of both servers', async () => {
  verifies('EXTAUTH-45', 'EXTAUTH-46');
  await using as = await listeningAuthorizationServer({ nonces: true });
  await using server = await protectedServer(as.origin, { dpop: 'required', nonces: true });
  await using client = await connect(server.url, { auth: oauth({ ...browser(), dpop: true }) });
  for (let calls = 0; calls < 3; calls++) expect((await client.call('whoami')).text).toBe('ada');
  const [first, second, ...more] = as.auth.requests.filter(({ path }) => path === '/token');
  expect(more).toEqual([]);
  const [without, withNonce] = [first, second].map((request) => decodeJwt(request?.headers.get('dpop') ?? ''));
  expect([without?.['nonce'], withNonce?.['nonce']]).toEqual([undefined, 'nonce-1']);
  const shown = server.seen.filter(({ authorization }) => authorization !== undefined);
  expect(shown.length).toBeGreaterThanOrEqual(5);
  const proofs = shown.map(({ dpop = '' }) => decodeJwt(dpop));
  for (const { authorization } of shown) expect(authorization).toMatch(/^DPoP \S+$/);
  for (const [i, { htm, htu, ath }] of proofs.entries())
    expect([htm, htu, typeof ath]).toEqual([shown[i]?.method, server.url, 'string']);
  expect(new Set(proofs.map(({ jti }) => jti)).size).toBe(proofs.length);
  expect(proofs.map(({ nonce }) => nonce !== undefined)).toEqual(proofs.map((_, i) => i > 0));
  expect(new Set(shown.map(({ dpop = '' }) => JSON.stringify(decodeProtectedHeader(dpop).jwk))).size).toBe(1);
});
