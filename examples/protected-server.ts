/**
 * A server that accepts requests with a token for it, with parts that need more than others. Nothing is asked of the network:
 * the issuer of the tokens is the one of our tests.
 *
 *   npx tsx examples/protected-server.ts
 */
import { strict as assert } from 'node:assert';
import { createServer, httpHandler, tool } from 'mooring';
import { bearer, jwt } from 'mooring/auth';
import { connect } from 'mooring/client';
import * as z from 'zod';
import { AuthorizationServer } from '../test/support/authorization-server.ts';

// #region parts
const orders = tool({
  name: 'orders',
  description: 'Lists your orders',
  run: (_, { auth }) => `The orders of ${auth?.subject}`,
});
const refund = tool({
  name: 'refund',
  description: 'Refunds an order',
  scopes: ['orders:write'],
  input: z.object({ order: z.string() }),
  run: ({ order }, { auth }) => `${auth?.subject} refunded ${order}`,
});
const shop = createServer({ name: 'shop', version: '1.0.0', parts: [orders, refund] });
// #endregion

const issuer = new AuthorizationServer({ issuer: 'https://auth.example' });
const { fetch } = issuer;
const log: string[] = [];

// #region bearer
const auth = bearer({
  audience: 'https://shop.example/mcp',
  verify: jwt({ issuer: 'https://auth.example', fetch }),
  scopes: ['orders:read'],
  implies: { 'orders:write': ['orders:read'] },
  onRejected: ({ id, status, why }) => log.push(`${id}: ${status}, ${why}`),
});
const answer = httpHandler(shop, { auth, allowedHosts: ['shop.example'] });
// #endregion

const audience = 'https://shop.example/mcp';
const ask = (authorization?: string): Promise<Response> =>
  answer(new Request(audience, { method: 'POST', headers: authorization === undefined ? {} : { authorization } }));

const anonymous = await ask();
assert.equal(anonymous.status, 401);
assert.match(
  anonymous.headers.get('www-authenticate') ?? '',
  /^Bearer .*resource_metadata="https:\/\/shop\.example\/\.well-known/,
);
const document = await answer(new Request('https://shop.example/.well-known/oauth-protected-resource/mcp'));
assert.deepEqual((await document.json()).authorization_servers, ['https://auth.example']);

const elsewhere = await issuer.issue({ aud: 'https://bank.example/mcp', scope: 'orders:read' });
assert.equal((await ask(`Bearer ${elsewhere}`)).status, 401, 'a token for another server is rejected');

/** A client that has a token already, and no socket. */
const withToken = async (scope: string): Promise<{ headers: Record<string, string>; fetch: typeof fetch }> => ({
  headers: { authorization: `Bearer ${await issuer.issue({ aud: audience, scope })}` },
  fetch: (input, init) => answer(new Request(input, init)),
});
{
  await using client = await connect(audience, await withToken('orders:read'));
  assert.equal((await client.call('orders')).text, 'The orders of ada');
  await assert.rejects(client.call('refund', { order: 'A-1' }), { code: 'MCP_UNAUTHORIZED' });
}
{
  await using client = await connect(audience, await withToken('orders:write'));
  assert.equal((await client.call('refund', { order: 'A-1' })).text, 'ada refunded A-1');
}
console.log(log.join('\n'));
assert.equal(log.length, 3);
