import { expect, test } from 'vitest';
import { FakeServer } from '../../test/support/fake-server.ts';
import { openClient } from '../client/index.ts';
import { RpcError } from '../errors.ts';
import { offerOf } from './offer.ts';

test('a server that has resources and does not know templates has none', async () => {
  const server = new FakeServer({
    revision: '2025-11-25',
    capabilities: { resources: {} },
    on: {
      'resources/list': () => ({ resources: [{ uri: 'a://b', name: 'b' }] }),
      'resources/templates/list': () => new RpcError(-32601, 'Method not found'),
    },
  });
  await using client = await openClient(server.dialer, {});
  expect(await offerOf(client)).toMatchObject({ resources: [{ uri: 'a://b' }], templates: [], tools: [], prompts: [] });
});

test('any other failure to list is told', async () => {
  const on = {
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => new RpcError(-32603, 'Broken'),
  };
  const server = new FakeServer({ revision: '2025-11-25', capabilities: { resources: {} }, on });
  await using client = await openClient(server.dialer, {});
  await expect(offerOf(client)).rejects.toThrow('Broken');
});
