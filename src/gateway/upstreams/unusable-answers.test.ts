/** Malformed responses of upstreams: the errors for callers and operators. */
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { soon } from '../../../test/support/soon.ts';
import { connect } from '../../connect/index.ts';
import { createServer, tool } from '../../index.ts';
import { nodeHandler } from '../../transport/node.ts';
import { createGateway } from '../gateway.ts';
import type { UpstreamOptions } from '../spec.ts';

type Answer = (response: ServerResponse, id: unknown) => unknown;

/** A gateway with one upstream that answers one method in its own way. */
async function gatewayTo(method: string, answer: Answer, options: UpstreamOptions = {}) {
  const shop = createServer({ name: 'shop', version: '1', parts: [tool({ name: 'buy', run: () => 'bought' })] });
  const serve = nodeHandler(shop, {});
  const listener = createHttpServer((request, response) => {
    if (request.headers['mcp-method'] !== method) return serve(request, response);
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => answer(response, JSON.parse(body).id));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close().closeAllConnections());
  const warnings: string[] = [];
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`; // it listens on a port
  const gateway = createGateway({
    ...{ name: 'acme', version: '1', upstreams: { shop: { url, ...options } } },
    onWarning: (warning) => warnings.push(warning),
  });
  const client = await connect(gateway);
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
  });
  return { client, warnings };
}

const json =
  (make: (id: unknown) => unknown): Answer =>
  (response, id) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(make(id)));
const status =
  (code: number, headers = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end('no');
const unusable = 'The server shop sent an unusable response to tools/call: ';

test.each<[string, Answer, string]>([
  [
    'a page',
    status(200, { 'content-type': 'text/html' }),
    `${unusable}it answered as text/html, expected application/json or text/event-stream (MCP_HTTP_UNEXPECTED)`,
  ],
  [
    'no object',
    json((id) => ({ jsonrpc: '2.0', id, result: 7 })),
    `${unusable}"result" must be an object (MCP_BAD_RESULT)`,
  ],
  [
    'a type',
    json((id) => ({ jsonrpc: '2.0', id, result: { resultType: 'x' } })),
    `${unusable}the unknown resultType "x" (MCP_UNKNOWN_RESULT_TYPE)`,
  ],
  [
    'content',
    json((id) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete', content: 7 } })),
    `${unusable}"content" must be a list (MCP_BAD_RESULT)`,
  ],
  ['a failure', status(502), `${unusable}status 502 (MCP_HTTP_FAILED)`],
  ['a rejection', status(403), `${unusable}status 403 (MCP_UNAUTHORIZED)`],
  ['a redirect', status(302, { location: 'http://10.0.0.7/' }), `${unusable}a redirect (MCP_HTTP_REDIRECT)`],
  [
    'nothing',
    (response) => response.destroy(),
    'The server shop did not answer tools/call (MCP_OUTCOME_UNKNOWN). Check whether it took effect before you repeat it',
  ],
])('a caller is told what came where an upstream sends %s', async (_what, answer, text) => {
  const { client } = await gatewayTo('tools/call', answer);
  await expect(client.call('shop__buy')).rejects.toMatchObject({ message: text });
});

test('an operator is told of a list without an end, and that no setting of the gateway changes it', async () => {
  const result = { tools: [], resultType: 'complete', ttlMs: 0, cacheScope: 'public' };
  let page = 0;
  const answer = json((id) => ({ jsonrpc: '2.0', id, result: { ...result, nextCursor: `${++page}` } }));
  const { client, warnings } = await gatewayTo('tools/list', answer);
  expect(await client.list('tools').all()).toEqual([]);
  await soon(() => expect(warnings).toHaveLength(1));
  expect(warnings).toEqual([
    expect.stringMatching(
      /^shop: its tools could not be listed: tools\/list sent more than 64 pages \(a fixed limit\)\. /,
    ),
  ]);
});

test('an operator is told which setting of the file lets an upstream answer later', async () => {
  const { client, warnings } = await gatewayTo('tools/list', () => undefined, { timeouts: { callMs: 20 } });
  expect(await client.list('tools').all()).toEqual([]);
  await soon(() => expect(warnings).toHaveLength(1));
  expect(warnings[0]).toMatch(
    /^shop: its tools could not be listed: tools\/list took longer than 20 ms \(timeouts\.callMs is 20 .*, timeouts\.maxCallMs is \d+\)\. /,
  );
});
