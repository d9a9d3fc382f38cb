/** A caller's credentials never reach an upstream, however the gateway authorizes itself there. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { decodeJwt } from 'jose';
import { afterEach, expect, test } from 'vitest';
import { bearer, jwt } from '../../src/auth/index.ts';
import { connect } from '../../src/connect/index.ts';
import type { UpstreamAuthEntry } from '../../src/gateway/file/gateway-file.ts';
import { startGateway } from '../../src/gateway/operations/gateway-process.ts';
import { createServer, tool } from '../../src/index.ts';
import { systemClock } from '../../src/peer/clock.ts';
import { revisionIds } from '../../src/revisions/index.ts';
import { nodeHandler } from '../../src/transport/node.ts';
import { listeningAuthorizationServer } from '../support/listening.ts';
import { verifies } from '../support/verifies.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server on a socket that records all bytes. */
async function recordingUpstream(issuer: string | undefined) {
  const seen: { readonly authorization: string | undefined; readonly text: string }[] = [];
  const whoami = tool({ name: 'whoami', run: (_, { auth }) => auth?.subject ?? 'nobody' });
  const server = createServer({ name: 'shop', version: '1', parts: [whoami] });
  const http = createHttpServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`; // it listens on a port
  const auth = issuer === undefined ? {} : { auth: bearer({ verify: jwt({ issuer }), audience: url }) };
  const handler = nodeHandler(server, { path: '/mcp', ...auth });
  http.on('request', (request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    seen.push({ authorization: request.headers.authorization, text: `${request.rawHeaders.join('\n')}\n${body}` });
    // As frameworks do that have read the body already.
    handler(body === '' ? request : Object.assign(request, { body: JSON.parse(body) }), response);
  }
  closing.push(async () => {
    await handler.close(0);
    http.closeAllConnections();
    http.close();
  });
  return { url, seen };
}

const client = { id: 'gateway', secret: 'secret-of-the-gateway' };
const modes: readonly (readonly [
  name: string,
  auth: (issuer: string) => UpstreamAuthEntry | undefined,
  who: string,
])[] = [
  ['none', () => undefined, 'nobody'],
  ['static', () => ({ static: { headers: { 'x-shop-key': 'key-of-the-operator' } } }), 'nobody'],
  ['clientCredentials', () => ({ clientCredentials: { client } }), 'gateway'],
  ['exchange', (issuer) => ({ exchange: { endpoint: `${issuer}/token`, client } }), 'ada'],
  ['enterpriseManaged', (issuer) => ({ enterpriseManaged: { idp: { issuer, client }, client } }), 'ada'],
];

test.each(modes)(
  'an upstream with the credentials "%s" sees no byte of the credentials of a caller, in any revision',
  async (mode, authOf, who) => {
    verifies('AUTH-094', 'ELIC-46');
    await using as = await listeningAuthorizationServer({
      clients: [client],
      accepts: async (assertion) => ({ sub: decodeJwt(assertion).sub }),
    });
    const issuer = as.origin;
    const { url, seen } = await recordingUpstream(who === 'nobody' ? undefined : issuer);
    const audience = 'http://127.0.0.1:8443/mcp';
    const auth = authOf(issuer);
    const config = {
      listen: { address: '127.0.0.1:0' },
      operations: { listen: '127.0.0.1:0' },
      auth: { issuer, audience },
      upstreams: { shop: { url, ...(auth === undefined ? {} : { auth }) } },
    };
    const gateway = await startGateway(config, { clock: systemClock, onWarning: () => undefined });
    closing.push(() => gateway.drain(0));
    const token = await as.auth.keys.sign({ sub: 'ada', aud: audience, client_id: 'desktop' });
    const headers = { authorization: `Bearer ${token}`, cookie: 'sid=cookie-of-ada', 'x-api-key': 'key-of-ada' };
    for (const revision of revisionIds) {
      await using caller = await connect(gateway.url, { headers, revisions: [revision] });
      expect((await caller.call('shop__whoami')).text).toBe(who);
    }
    const [head = '', claims = '', signature = ''] = token.split('.');
    const own = [token, signature, claims, 'cookie-of-ada', 'key-of-ada', 'sid='];
    expect(seen.length).toBeGreaterThan(revisionIds.length);
    for (const { text, authorization } of seen) {
      expect(own.filter((secret) => text.includes(secret))).toEqual([]);
      expect(text.toLowerCase()).not.toContain('\ncookie\n');
      if (who === 'nobody') expect(authorization).toBeUndefined();
    }
    expect(head).not.toBe('');
    expect(seen.some(({ text }) => text.includes('key-of-the-operator'))).toBe(mode === 'static');
  },
);
