/**
 * A job without a user: it authenticates with a key of its own, or with what its platform says of it. Nothing is asked
 * of the network; the authorization server is the one of our tests.
 *
 *   npx tsx examples/headless-job.ts
 */
import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, tool } from 'mooring';
import { bearer, clientCredentials, jwt, workloadIdentity } from 'mooring/auth';
import { connect } from 'mooring/client';
import { nodeHandler } from 'mooring/node';
import { listeningAuthorizationServer } from '../test/support/listening.ts';

const folder = await mkdtemp(join(tmpdir(), 'nightly-'));
const keyFile = join(folder, 'nightly.pem');
const tokenFile = join(folder, 'token');
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
await writeFile(tokenFile, 'what the platform says', { mode: 0o600 });

await using issuer = await listeningAuthorizationServer({
  clients: [{ id: 'nightly', jwk: { ...publicKey.export({ format: 'jwk' }), kty: 'EC', alg: 'ES256' } }],
  accepts: async (assertion) => (assertion === 'what the platform says' ? { sub: 'workload-7' } : undefined),
});
const count = tool({ name: 'count', description: 'Counts', run: (_, { auth }) => `Counted for ${auth?.subject}` });
const http = createHttpServer().listen(0, '127.0.0.1');
await once(http, 'listening');
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on a port
const auth = bearer({ audience: url, verify: jwt({ issuer: issuer.origin }) });
const handler = nodeHandler(createServer({ name: 'stock', version: '1.0.0', parts: [count] }), { path: '/mcp', auth });
http.on('request', handler);

{
  // #region job
  const job = clientCredentials({
    client: { id: 'nightly', privateKey: await readFile(keyFile, 'utf8'), alg: 'ES256', issuer: issuer.origin },
  });
  await using client = await connect(url, { auth: job });
  const { text } = await client.call('count');
  // #endregion
  assert.equal(text, 'Counted for nightly');
}

{
  // #region workload
  const workload = workloadIdentity({ assertion: () => readFile(tokenFile, 'utf8') });
  await using client = await connect(url, { auth: workload });
  const { text } = await client.call('count');
  // #endregion
  assert.equal(text, 'Counted for workload-7');
}

await handler.close(0);
http.closeAllConnections();
http.close();
await rm(folder, { recursive: true });
