/**
 * A client that signs in to a protected server, in one program: nothing is asked of the network. The authorization server
 * is the one of our tests; yours is a product or a service. The browser is one that says yes.
 *
 *   MOORING_TRACE=auth npx tsx examples/sign-in.ts
 */
import { strict as assert } from 'node:assert';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { createServer, tool } from 'mooring';
import {
  bearer,
  browserSignIn,
  type CredentialStore,
  fileCredentials,
  jwt,
  manualSignIn,
  oauth,
  type TraceStep,
} from 'mooring/auth';
import { connect } from 'mooring/client';
import { nodeHandler } from 'mooring/node';
import { listeningAuthorizationServer } from '../test/support/listening.ts';

// ---- a third party's: an authorization server, and a server that accepts its tokens
await using issuer = await listeningAuthorizationServer();
const whoami = tool({
  name: 'whoami',
  description: 'Says who you are',
  run: (_, { auth }) => `You are ${auth?.subject}`,
});
const http = createHttpServer().listen(0, '127.0.0.1');
await once(http, 'listening');
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on a port
const auth = bearer({ audience: url, verify: jwt({ issuer: issuer.origin }) });
const handler = nodeHandler(createServer({ name: 'shop', version: '1.0.0', parts: [whoami] }), { path: '/mcp', auth });
http.on('request', handler);

// ---- ours
// #region open
/** The program that shows an address in the browser, and its arguments. No shell reads any of it. */
function browserCommand(address: string, platform: NodeJS.Platform = process.platform): [string, string[]] {
  if (platform === 'darwin') return ['open', [address]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}
export const openInBrowser = (address: string): unknown => execFile(...browserCommand(address));
// #endregion
assert.deepEqual(browserCommand('https://a.example/?b&c', 'win32')[1], [
  'url.dll,FileProtocolHandler',
  'https://a.example/?b&c',
]);

/** Goes wherever it is sent, and is thanked for it. */
const shown: string[] = [];
const open = async (address: string): Promise<void> => {
  shown.push(address);
  assert.match(await (await fetch(address)).text(), /You may close this window/);
};

{
  // #region client
  await using client = await connect(url, { auth: oauth({ clientName: 'Shop desk', open }) });
  console.log((await client.call('whoami')).text); // the browser opened, and the user signed in
  // #endregion
  assert.equal((await client.call('whoami')).text, 'You are ada');
  assert.equal(shown.length, 1);
}

{
  const folder = await mkdtemp(join(tmpdir(), 'shop-desk-'));
  process.env['SHOP_DESK_KEY'] = randomBytes(32).toString('hex');
  // #region file
  const store = fileCredentials(join(folder, 'private', 'credentials'), {
    key: () => process.env['SHOP_DESK_KEY'] ?? '',
  });
  // #endregion
  for (let run = 1; run <= 2; run++) {
    await using client = await connect(url, { auth: oauth({ clientName: 'Shop desk', open, store }) });
    assert.equal((await client.call('whoami')).text, 'You are ada');
  }
  assert.equal(shown.length, 2, 'the second run needs no sign-in');
  await rm(folder, { recursive: true });
}

// #region keychain
/** As most libraries for the Keychain, the Credential Manager and the Secret Service have it. */
interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}
const keychainCredentials = (keychain: Keychain): CredentialStore => ({
  read: async (key) => (await keychain.getPassword('shop-desk', key)) ?? undefined,
  write: (key, value) => keychain.setPassword('shop-desk', key, value),
  remove: async (key) => void (await keychain.deletePassword('shop-desk', key)),
});
// #endregion
{
  const kept = new Map<string, string>();
  const store = keychainCredentials({
    getPassword: async (_, account) => kept.get(account) ?? null,
    setPassword: async (_, account, password) => void kept.set(account, password),
    deletePassword: async (_, account) => kept.delete(account),
  });
  await using client = await connect(url, { auth: oauth({ open, store }) });
  assert.equal((await client.call('whoami')).text, 'You are ada');
  assert.ok(kept.size > 0);
}

// #region paste
export const bySsh = manualSignIn({
  redirectUri: 'http://127.0.0.1:8765/callback',
  async ask({ url: address, message, signal }) {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await terminal.question(`${message}\n\n${address}\n\n> `, { signal });
    } finally {
      terminal.close();
    }
  },
});
// #endregion
{
  const person = async ({ url: address }: { url: string }): Promise<string> =>
    (await fetch(address, { redirect: 'manual' })).headers.get('location') ?? '';
  const signIn = manualSignIn({ redirectUri: (await bySsh.begin()).redirectUri, ask: person });
  await using client = await connect(url, { auth: oauth({ signIn }) });
  assert.equal((await client.call('whoami')).text, 'You are ada');
}

{
  const attempt = await browserSignIn({ redirectUri: 'http://localhost/callback' }).begin();
  const registered = attempt.redirectUri;
  await attempt.close();
  issuer.auth.clients.set('shop-desk', { id: 'shop-desk', redirectUris: [registered] });
  const steps: TraceStep[] = [];
  // #region known
  const desk = oauth({
    client: { id: 'shop-desk', issuer: issuer.origin },
    signIn: browserSignIn({ open, redirectUri: registered }), // such as http://localhost:8080/callback
    trace: (step) => steps.push(step),
  });
  // #endregion
  await using client = await connect(url, { auth: desk });
  assert.equal((await client.call('whoami')).text, 'You are ada');
  assert.ok(steps.some(({ step }) => step === 'authorization server metadata'));
  assert.ok(!issuer.auth.paths.slice(-3).includes('/register'));
}

await handler.close(0);
http.closeAllConnections();
http.close();
