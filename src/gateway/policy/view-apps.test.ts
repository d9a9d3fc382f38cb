/** Apps behind a gateway: a host treats all upstreams of a view as one server. */
import { expect, test } from 'vitest';
import { FakeServer } from '../../../test/support/fake-server.ts';
import { MemoryView } from '../../../test/support/memory-view.ts';
import { connect } from '../../connect/index.ts';
import { createHost } from '../../host/create-host.ts';
import { rules } from '../../host/policy/rules.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { ViewSpec } from '../spec.ts';

const tool = (name: string, ui?: JsonObject): JsonObject => ({
  name,
  inputSchema: { type: 'object' },
  ...(ui === undefined ? {} : { _meta: { ui, kept: 1 } }),
});

/** An upstream with an app, an app-only tool, and a plain tool. */
const upstream = (): FakeServer =>
  new FakeServer({
    revision: '2025-11-25',
    capabilities: { tools: {}, resources: {} },
    on: {
      'tools/list': () => ({
        tools: [tool('orders', { resourceUri: 'ui://page' }), tool('inner', { visibility: ['app'] }), tool('plain')],
      }),
      'tools/call': ({ name }) => ({ content: [{ type: 'text', text: String(name) }] }),
      'resources/list': () => ({
        resources: [
          { uri: 'ui://page', name: 'page' },
          { uri: 'note://a', name: 'a' },
        ],
      }),
      'resources/templates/list': () => ({
        resourceTemplates: [
          { uriTemplate: 'ui://page/{id}', name: 'pages' },
          { uriTemplate: 'note://{id}', name: 'notes' },
        ],
      }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/html;profile=mcp-app', text: '<p>' }] }),
    },
  });

interface Behind {
  readonly gateway: Gateway;
  readonly bank: FakeServer;
}

function behind(view: Partial<ViewSpec> = {}): Behind {
  const [shop, bank] = [upstream(), upstream()];
  const upstreams = { shop: shop.transport, bank: bank.transport };
  const views = { default: { of: ['shop', 'bank'], ...view } };
  return { gateway: createGateway({ name: 'acme', version: '1', upstreams, views }), bank };
}

test('in a view with several upstreams, pages pass only from those that are named, and tools of others are for models', async () => {
  const { gateway } = behind({ apps: ['shop'] });
  await using _ = gateway;
  await using client = await connect(gateway);
  const tools = await client.list('tools').all();
  expect(tools.map(({ name, _meta }) => [name, _meta])).toEqual([
    ['shop__orders', { ui: { resourceUri: 'ui://shop+page' }, kept: 1 }],
    ['shop__inner', { ui: { visibility: ['app'] }, kept: 1 }],
    ['shop__plain', undefined],
    ['bank__orders', { ui: { visibility: ['model'] }, kept: 1 }],
    ['bank__plain', { ui: { visibility: ['model'] } }],
  ]);
  await expect(client.call('bank__inner')).rejects.toMatchObject({ message: 'Unknown tool: bank__inner' });
  const uris = (await client.list('resources').all()).map(({ uri }) => uri);
  expect(uris).toEqual(['ui://shop+page', 'shop+note://a', 'bank+note://a']);
  const templates = (await client.list('templates').all()).map(({ uriTemplate }) => uriTemplate);
  expect(templates).toEqual(['ui://shop+page/{id}', 'shop+note://{id}', 'bank+note://{id}']);
  for (const uri of ['ui://bank+page', 'ui://bank+page/7', 'bank+ui://page', 'BANK+Ui://page', 'ui://bank+page/{id}'])
    await expect(client.read(uri)).rejects.toMatchObject({ code: -32602 });
  expect((await client.read('ui://shop+page')).contents).toHaveLength(1);
});

test('a view with one upstream passes its pages as they are, and one that names none passes none', async () => {
  const { gateway } = behind({ of: ['shop'] });
  await using _ = gateway;
  await using client = await connect(gateway);
  expect((await client.list('tools').all()).map(({ name }) => name)).toContain('shop__inner');
  const { gateway: closed } = behind();
  await using __ = closed;
  await using other = await connect(closed);
  expect((await other.list('tools').all()).map(({ name }) => name)).not.toContain('shop__inner');
});

test.each([
  [['shop'], false],
  [['shop', 'bank'], true],
])(
  'with pages of %j passed on, a page of one upstream can call a tool of the other in a real host: %s',
  async (named, can) => {
    const { gateway, bank } = behind({ apps: named });
    await using _ = gateway;
    const policy = [rules.allow({})];
    const consent = () => ({ allow: true });
    await using host = createHost({ servers: { acme: gateway }, apps: true, policy, consent, health: false });
    await using session = host.session();
    const view = await session.openView('acme.shop__orders');
    const port = new MemoryView();
    view.connect(port);
    await port.handshake();
    expect(await port.ask('tools/call', { name: 'shop__plain', arguments: {} })).toMatchObject({ result: {} });
    const reached = await port.ask('tools/call', { name: 'bank__plain', arguments: {} });
    expect(reached).toMatchObject(can ? { result: {} } : { error: {} });
    expect(bank.params('tools/call')).toHaveLength(can ? 1 : 0);
  },
);

test('a part whose name has characters that cannot be seen is withheld, and titles lose them', async () => {
  const names = ['fine', 'bi\u202edi', 'esc\u001b[2J', 'zero\u200bwidth'];
  const server = new FakeServer({
    revision: '2025-11-25',
    capabilities: { tools: {}, prompts: {} },
    on: {
      'tools/list': () => ({
        tools: names.map((name) => ({ ...tool(name), title: `T\u202e${name}`, annotations: { title: 'A\u0007' } })),
      }),
      'prompts/list': () => ({ prompts: names.map((name) => ({ name })) }),
    },
  });
  await using gateway = createGateway({ name: 'a', version: '1', upstreams: { odd: server.transport } });
  await using client = await connect(gateway);
  expect(await client.list('tools').all()).toMatchObject([
    { name: 'odd__fine', title: 'Tfine', annotations: { title: 'A' } },
  ]);
  expect((await client.list('prompts').all()).map(({ name }) => name)).toEqual(['odd__fine']);
});
