/** Log messages, in every revision. */
import { expect } from 'vitest';
import { request } from '../../src/jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, LOG_LEVEL, PROTOCOL_VERSION } from '../../src/model/names.ts';
import { everyRevision, wayTo } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';
import { link } from '../support/wire.ts';

const levels = (wire: { notifications(method: string): readonly { params?: object | undefined }[] }): unknown[] =>
  wire.notifications('notifications/message').map(({ params }) => (params as { level: unknown }).level); // by the schema

everyRevision(
  'a client that said nothing hears what is worth a look, or nothing',
  async ({ client, revision, wire }) => {
    verifies('LOG-1', 'LOG-5', 'LOG-7');
    expect(client.server.capabilities.logging).toEqual({});
    await client.call('horn');
    expect(levels(wire)).toEqual(revision >= '2026-07-28' ? [] : ['info', 'warning', 'emergency']);
  },
);

everyRevision('the client says from which level on it wants to hear', async ({ client, revision, wire }) => {
  verifies('LOG-2', 'LOG-3', 'LOG-4', 'LOG-8');
  await client.setLogLevel('warning');
  await client.call('horn');
  expect(levels(wire)).toEqual(['warning', 'emergency']);
  if (revision < '2026-07-28') expect(wire.result('logging/setLevel')).toEqual({});
  await client.setLogLevel('debug');
  await client.call('horn');
  expect(levels(wire).slice(2)).toEqual(['debug', 'info', 'warning', 'emergency']);
});

everyRevision(
  'a client that listens gets the messages with their context',
  { listens: true },
  async ({ client, logs }) => {
    verifies('LOG-14', 'LOG-20');
    await client.call('horn');
    expect(logs[0]).toEqual({ level: 'info', data: { message: 'The horn sounds', blasts: 3 } });
    expect(logs.map(({ level }) => level)).toEqual(['info', 'warning', 'emergency']);
  },
);

everyRevision('messages come before the answer of the request they belong to', async ({ client, wire }) => {
  verifies('LOG-8');
  await client.setLogLevel('emergency');
  await client.call('horn');
  const order = wire.log.flatMap(({ message, answers }) =>
    'method' in message && message.method === 'notifications/message'
      ? ['log']
      : answers === 'tools/call'
        ? ['answer']
        : [],
  );
  expect(order).toEqual(['log', 'answer']);
});

everyRevision('an unknown level is rejected', { strictClient: false, until: '2025-11-25' }, async ({ client }) => {
  verifies('LOG-6', 'LOG-10');
  await expect(client.request('logging/setLevel', { level: 'loud' })).rejects.toMatchObject({ code: -32602 });
});

// The client always sets a level, so this request is sent directly.
everyRevision('an unknown level of a request is rejected', { since: '2026-07-28' }, async ({ revision, transport }) => {
  verifies('LOG-6', 'LOG-10');
  const _meta = { [PROTOCOL_VERSION]: revision, [CLIENT_CAPABILITIES]: {}, [LOG_LEVEL]: 'loud' };
  const way = await wayTo({ transport });
  const connection = await way.transport(() => Promise.resolve(undefined), {});
  const response = await connection.exchange(request(1, 'tools/call', { name: 'horn', _meta }), link());
  expect(response).toMatchObject({ error: { code: -32602, message: expect.stringContaining('loud') } });
  await connection.close();
  await way.close();
});
