/** Requests with their own capabilities, answers and `_meta`, as a proxy needs them. */
import { expect } from 'vitest';
import { RpcError } from '../../src/errors.ts';
import type { JsonObject, RpcRequest } from '../../src/jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../src/model/names.ts';
import { everyRevision, type Scene } from '../support/every-revision.ts';

const FORMS = '2025-06-18';
const LAST_WITH_HANDSHAKE = '2025-11-25';
const STATELESS = '2026-07-28';

const register = { name: 'register', arguments: {} };
const shipNamed = (name: string): JsonObject => ({ action: 'accept', content: { name } });
const textOf = (result: JsonObject): unknown => (result['content'] as { text: string }[])[0]?.text; // by the tool

const metaOf = (message: RpcRequest | undefined): JsonObject => (message?.params?.['_meta'] ?? {}) as JsonObject; // always an object

/** Whether a question names its request. */
const isKnownOf = ({ transport, revision }: Scene): boolean =>
  revision >= STATELESS || transport === 'memory' || transport === 'http';

everyRevision(
  'a request that brings its own answers is asked, and the handlers of the client are not',
  { user: (user) => user.decline('your ship'), since: FORMS },
  async ({ client, user }) => {
    const asked: string[] = [];
    const result = await client.request('tools/call', register, {
      ask: ({ method, params }, { server }) => {
        asked.push(`${method}: ${String(params['message'])} (${server.info?.name ?? ''})`);
        return shipNamed('Beagle');
      },
    });
    expect(textOf(result)).toContain('Beagle');
    expect(asked).toEqual([expect.stringMatching(/^elicitation\/create: .*your ship.* \(harbour\)$/)]);
    expect(user.asked).toEqual([]);
    expect(textOf(await client.request('tools/call', register, { ask: () => shipNamed('Alert') }))).toContain('Alert');
  },
);

everyRevision(
  'a result that asks for input is handed out as it came, to a request without answers of its own',
  { user: (user) => user.answer('your ship', { name: 'Beagle' }), since: STATELESS },
  async ({ client, user, wire }) => {
    const result = await client.request('tools/call', register);
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: expect.any(Object) });
    expect(wire.requests('tools/call')).toHaveLength(1);
    expect(user.asked).toEqual([]);
  },
);

everyRevision(
  'where servers send requests, the handlers of the client answer for a request without answers of its own',
  { user: (user) => user.answer('your ship', { name: 'Beagle' }), since: FORMS, until: LAST_WITH_HANDSHAKE },
  async ({ client }) => expect(textOf(await client.request('tools/call', register))).toContain('Beagle'),
);

everyRevision(
  'two requests at once get the answers of their own, or none where a question does not say which one it is about',
  { user: (user) => user.decline('your ship'), since: FORMS },
  async (scene) => {
    const asked: string[] = [];
    const named = async (name: string): Promise<unknown> => {
      const ask = async (): Promise<JsonObject> => {
        asked.push(name);
        await new Promise((resolve) => void setImmediate(resolve));
        return shipNamed(name);
      };
      return textOf(await scene.client.request('tools/call', register, { ask }));
    };
    const outcomes = await Promise.all([named('Beagle'), named('Alert')].map((one) => one.catch(String)));
    expect(scene.user.asked).toEqual([]);
    if (isKnownOf(scene))
      expect(outcomes).toEqual([expect.stringContaining('Beagle'), expect.stringContaining('Alert')]);
    else {
      expect(asked).toEqual([]);
      expect(scene.wire.responses('elicitation/create')).toMatchObject([
        { error: { code: -32603, message: expect.stringContaining('does not say which one') } },
        { error: { code: -32603 } },
      ]);
    }
  },
);

everyRevision(
  'the code that an answer of its own throws reaches the server, where questions are requests',
  { user: (user) => user, since: FORMS, until: LAST_WITH_HANDSHAKE },
  async ({ client, wire }) => {
    const ask = (): never => {
      throw new RpcError(-1, 'The user said no');
    };
    await client.request('tools/call', register, { ask }).catch(() => undefined);
    expect(wire.responses('elicitation/create')).toMatchObject([{ error: { code: -1, message: 'The user said no' } }]);
  },
);

everyRevision('the capabilities of a request are declared for it alone', { since: STATELESS }, async (scene) => {
  const capabilities = { elicitation: { form: {} } };
  const result = await scene.client.request('tools/call', register, { capabilities });
  expect(result).toMatchObject({ resultType: 'input_required' });
  await scene.client.list('tools').all();
  const declared = [...scene.wire.requests('tools/call'), ...scene.wire.requests('tools/list')].map(
    (one) => metaOf(one)[CLIENT_CAPABILITIES],
  );
  expect(declared).toEqual([capabilities, {}]);
});

everyRevision(
  'after a handshake, a request can have fewer capabilities and not more',
  { user: (user) => user.answer('your ship', { name: 'Beagle' }), since: FORMS, until: LAST_WITH_HANDSHAKE },
  async (scene) => {
    const { client, revision, wire } = scene;
    const more = client.request('tools/call', register, { capabilities: { roots: {} } });
    await expect(more).rejects.toMatchObject({
      code: 'MCP_BAD_DEFINITION',
      details: { why: expect.stringContaining(`${revision} declares capabilities in the handshake, and "roots"`) },
    });
    expect(wire.requests('tools/call')).toEqual([]);
    await client.request('tools/call', register, { capabilities: {} }).catch(() => undefined);
    expect(wire.responses('elicitation/create')).toMatchObject([{ error: { code: -32601 } }]);
  },
);

everyRevision(
  'keys of others in _meta go along, those of the protocol stay ours',
  { strictClient: false },
  async (scene) => {
    const { client, revision, wire } = scene;
    const _meta = {
      'com.example/a': 1,
      plain: 2,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      progressToken: 'theirs',
      [PROTOCOL_VERSION]: 'theirs',
      'io.modelcontextprotocol/other': 'theirs',
    };
    await client.request('tools/list', { _meta }, { meta: { 'com.example/b': 3 } });
    const sent = metaOf(wire.requests('tools/list').at(-1));
    const { progressToken, traceparent, [PROTOCOL_VERSION]: version, ...others } = sent;
    expect([progressToken, traceparent]).toEqual([undefined, _meta.traceparent]);
    expect(version).toBe(revision >= STATELESS ? revision : undefined);
    expect(others).toMatchObject({ 'com.example/a': 1, plain: 2, 'com.example/b': 3 });
    expect(others).not.toHaveProperty('io.modelcontextprotocol/other');
  },
);

everyRevision('a raw request asks for progress only where it is wanted', async ({ client, wire }) => {
  const call = { name: 'plain', arguments: {} };
  await client.request('tools/call', call).catch(() => undefined);
  await client.request('tools/call', call, { onProgress: () => undefined }).catch(() => undefined);
  const tokens = wire.requests('tools/call').map((one) => metaOf(one)['progressToken']);
  expect(tokens).toEqual([undefined, expect.any(Number)]);
});
