/** Gateways without stored sessions: two processes share only keys, and serve callers with a handshake. */
import { describe, expect, test } from 'vitest';
import { createGateway, type Gateway, gatewayRules } from '../../src/gateway/index.ts';
import { createServer, resource, type Server, tool } from '../../src/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { HttpOptions } from '../../src/transport/http/http-settings.ts';
import { HttpService } from '../../src/transport/http/service.ts';
import { knock } from '../support/fake-http.ts';
import { call, errorOf, note, opened, progressing, request } from '../support/http-messages.ts';
import { hello, withHandshake } from '../support/raw.ts';

const sealed = { sealed: [new Uint8Array(32).fill(1)] };
/** Without sessions, the header alone names the revision of a request. */
const withHeader = withHandshake.filter((id) => id > '2025-03-26');

const kinds: readonly (readonly [kind: string, sessions: NonNullable<HttpOptions['sessions']>, readonly string[]])[] = [
  ['sealed', sealed, withHandshake],
  ['none', 'none', withHeader],
];
const all = kinds.flatMap(([kind, sessions, revisions]) => revisions.map((one) => [one, kind, sessions] as const));

function shopOf(done: string[]): Server {
  return createServer({
    name: 'shop',
    version: '1',
    parts: [
      tool({ name: 'find', run: () => `found ${done.push('find')}` }),
      tool({ name: 'refund', run: () => `refunded ${done.push('refund')}` }),
      tool({
        name: 'ship',
        run: async (_, ctx) => `shipped ${await ctx.confirm('a', 'To Ada?')} ${done.push('ship')}`,
      }),
      tool({
        name: 'count',
        async run(_, ctx) {
          ctx.progress(1, 2);
          return 'counted';
        },
      }),
      resource({ uri: 'note://a', name: 'a', read: () => 'text' }),
    ],
  }) as Server;
}

interface TwoNodes extends AsyncDisposable {
  readonly nodes: readonly [HttpService, HttpService];
  readonly done: readonly string[];
}

function twoNodes(sessions: NonNullable<HttpOptions['sessions']>): TwoNodes {
  const done: string[] = [];
  const policy = [gatewayRules.ask({ name: 'refund' }), gatewayRules.allow({})];
  const nodeOf = (): Gateway =>
    createGateway({
      name: 'acme',
      version: '1',
      upstreams: { shop: shopOf(done) },
      policy,
      onWarning: () => undefined,
    });
  const gateways = [nodeOf(), nodeOf()] as const;
  return {
    nodes: [new HttpService(gateways[0], { sessions }), new HttpService(gateways[1], { sessions })],
    done,
    async [Symbol.asyncDispose]() {
      for (const gateway of gateways) await gateway.close();
    },
  };
}

/** The headers of a caller after the handshake with one node, valid for all of them. */
const met = async (node: HttpService, revision: string): Promise<Record<string, string | undefined>> => ({
  ...(await opened(node, revision)),
  'mcp-protocol-version': revision,
});

describe.each(all)('callers of %s of a gateway whose sessions are %s', (revision, kind, sessions) => {
  test('are served by any node', async () => {
    await using world = twoNodes(sessions);
    const [one, other] = world.nodes;
    const headers = await met(one, revision);
    expect(headers['mcp-session-id'] === undefined).toBe(kind === 'none');
    for (const node of [other, one, other]) {
      const { json: listed } = await knock(node, { headers, body: request(1, 'tools/list') });
      expect(JSON.stringify(listed)).toContain('shop__find');
      const { json: called } = await knock(node, { headers, body: call(2, 'shop__find') });
      expect(called['result']).toMatchObject({ content: [{ text: expect.stringMatching(/^found/) }] });
      const { json: read } = await knock(node, {
        headers,
        body: request(3, 'resources/read', { uri: 'shop+note://a' }),
      });
      expect(read['result']).toMatchObject({ contents: [{ uri: 'shop+note://a', text: 'text' }] });
    }
    expect(world.done).toEqual(['find', 'find', 'find']);
  });

  test('are offered nothing that needs a session, and get nothing of it', async () => {
    await using world = twoNodes(sessions);
    const [one, other] = world.nodes;
    const { json } = await knock(one, { body: request(0, 'initialize', hello(revision, {})) });
    const { capabilities } = json['result'] as { capabilities: JsonObject };
    expect(capabilities).toMatchObject({ tools: {}, resources: {} });
    expect(JSON.stringify(capabilities)).not.toMatch(/listChanged|subscribe|logging/);
    const headers = await met(one, revision);
    for (const method of ['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe']) {
      const params = { level: 'debug', uri: 'shop+note://a' };
      const { json: rejected } = await knock(other, { headers, body: request(1, method, params) });
      expect([method, rejected.error?.code]).toEqual([method, -32601]);
    }
    for (const method of ['GET', 'DELETE'])
      expect(errorOf(await knock(other, { method, headers }))).toEqual([405, -32600]);
    expect((await knock(other, { headers, body: note('notifications/cancelled', { requestId: 7 }) })).status).toBe(202);
    expect(errorOf(await knock(other, { headers, body: { jsonrpc: '2.0', id: 1, result: {} } }))[0]).toBe(400);
  });

  test('hear of the progress of a call on its own stream', async () => {
    await using world = twoNodes(sessions);
    const [one, other] = world.nodes;
    const headers = await met(one, revision);
    const { sink } = await knock(other, { headers, body: progressing(1, 'shop__count') });
    expect(sink?.messages.map(({ method }) => method)).toEqual(['notifications/progress', undefined]);
    expect(sink?.text).not.toMatch(/^(?:id|retry):/m);
  });

  test('cannot be asked: rules that ask deny, tools that ask fail, and neither does anything', async () => {
    await using world = twoNodes(sessions);
    const [one, other] = world.nodes;
    const headers = await met(one, revision);
    const { json: denied } = await knock(other, { headers, body: call(1, 'shop__refund') });
    expect(denied['result']).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('a user must approve it, and none did') }],
    });
    const { json: failed } = await knock(other, { headers, body: call(2, 'shop__ship') });
    expect(failed['result']).toMatchObject({ isError: true });
    expect(world.done).toEqual([]);
  });
});
