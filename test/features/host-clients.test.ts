/** The clients of a host: one per server, with separate negotiation. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createHost } from '../../src/host/create-host.ts';
import type { Host } from '../../src/host/host.ts';
import { rules } from '../../src/host/policy/rules.ts';
import { CLIENT_CAPABILITIES, PROTOCOL_VERSION } from '../../src/model/names.ts';
import { virtualClock } from '../../src/testing/index.ts';
import { FakeServer, silence } from '../support/fake-server.ts';
import { STATELESS, withHandshake } from '../support/raw.ts';
import { verifies } from '../support/verifies.ts';

const tools = [{ name: 'look', inputSchema: { type: 'object' } }];

const server = (revision: string): FakeServer =>
  new FakeServer({
    revision,
    capabilities: { tools: { listChanged: true } },
    on: {
      'tools/list': () => ({ tools, ...(revision === STATELESS ? { ttlMs: 60_000, cacheScope: 'private' } : {}) }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'all is well' }] }),
    },
  });

/** `files` gets a folder, `notes` does not. */
const hostOf = (files: FakeServer, notes: FakeServer, clock = virtualClock()): Host =>
  createHost({
    clock,
    servers: { files: files.transport, notes: notes.transport },
    roots: { files: ['src'] },
    policy: [rules.allow({})],
    health: false,
    onWarning: () => undefined,
  });

test.each(withHandshake)('%s: each server is met once, in a session of its own', async (revision) => {
  verifies('HOST-8');
  const [files, notes] = [server(revision), server(revision)];
  await using host = hostOf(files, notes);
  const session = host.session();
  for (const name of ['files.look', 'notes.look', 'files.look', 'notes.look']) await session.call(name);
  for (const one of [files, notes]) {
    expect(one.lines).toHaveLength(1);
    expect(one.methods.filter((method) => method === 'initialize')).toHaveLength(1);
    expect(one.methods.filter((method) => method === 'tools/call')).toHaveLength(2);
  }
  expect(files.params('initialize')[0]?.['capabilities']).toHaveProperty('roots');
  expect(notes.params('initialize')[0]?.['capabilities']).not.toHaveProperty('roots');
});

test('without a handshake, every request says the revision and what this server may ask for', async () => {
  verifies('HOST-9');
  const [files, notes] = [server(STATELESS), server(STATELESS)];
  await using host = hostOf(files, notes);
  const session = host.session();
  for (const name of ['files.look', 'notes.look', 'files.look']) await session.call(name);
  for (const [one, roots] of [
    [files, true],
    [notes, false],
  ] as const) {
    const requests = one.heard.flatMap((message) => ('method' in message && 'id' in message ? [message] : []));
    expect(requests.length).toBeGreaterThanOrEqual(2);
    expect(one.methods).not.toContain('initialize');
    for (const { params } of requests) {
      expect(params?.['_meta']).toMatchObject({ [PROTOCOL_VERSION]: STATELESS });
      expect('roots' in Object(Object(params?.['_meta'])[CLIENT_CAPABILITIES])).toBe(roots);
    }
  }
});

test.each(withHandshake)('%s: news and questions of a server stay between it and its client', async (revision) => {
  verifies('HOST-10', 'HOST-7');
  const [files, notes] = [server(revision), server(revision)];
  const clock = virtualClock();
  await using host = hostOf(files, notes, clock);
  const session = host.session();
  await session.tools();
  const lists = (one: FakeServer): number => one.methods.filter((method) => method === 'tools/list').length;
  expect([lists(files), lists(notes)]).toEqual([1, 1]);
  files.line.notify('notifications/tools/list_changed');
  await clock.advance(1_000);
  expect(lists(files)).toBe(2);
  expect(lists(notes)).toBe(1);
  expect(await files.line.ask('roots/list')).toMatchObject({
    result: { roots: [{ uri: pathToFileURL(resolve('src')).href }] },
  });
  expect(await notes.line.ask('roots/list')).toMatchObject({ error: { code: -32601 } });
});

test('without a handshake, changes and questions of a server stay between it and its client', async () => {
  verifies('HOST-10');
  const ID = 'io.modelcontextprotocol/subscriptionId';
  const listening = new Map<FakeServer, () => void>();
  const asker = (): FakeServer => {
    const one: FakeServer = new FakeServer({
      revision: STATELESS,
      capabilities: { tools: { listChanged: true } },
      on: {
        'tools/list': () => ({ tools, ttlMs: 60_000, cacheScope: 'private' }),
        'tools/call': ({ inputResponses }) =>
          inputResponses === undefined
            ? { resultType: 'input_required', inputRequests: { where: { method: 'roots/list' } }, requestState: 's' }
            : { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(inputResponses) }] },
        'subscriptions/listen': ({ notifications }, line, { id }) => {
          line.notify('notifications/subscriptions/acknowledged', { notifications, _meta: { [ID]: id } });
          listening.set(one, () => line.notify('notifications/tools/list_changed', { _meta: { [ID]: id } }));
          return silence;
        },
      },
    });
    return one;
  };
  const [files, notes, clock] = [asker(), asker(), virtualClock()];
  await using host = hostOf(files, notes, clock);
  const session = host.session();
  await session.tools();
  await clock.advance(1);
  const lists = (one: FakeServer): number => one.methods.filter((method) => method === 'tools/list').length;
  expect([lists(files), lists(notes), listening.size]).toEqual([1, 1, 2]);
  listening.get(files)?.();
  await clock.advance(1_000);
  expect([lists(files), lists(notes)]).toEqual([2, 1]);
  expect((await session.call('files.look')).text).toContain(pathToFileURL(resolve('src')).href);
  await expect(session.call('notes.look')).rejects.toMatchObject({ code: 'MCP_CANNOT_ASK' });
  expect(JSON.stringify(notes.heard)).not.toContain('file:');
});

test('what one user may do, another may not, and nothing of it reaches the server', async () => {
  verifies('HOST-21', 'HOST-30');
  const notes = server(STATELESS);
  await using host = createHost({
    servers: { notes: notes.transport },
    policy: [
      rules.allow({ kind: 'connect' }),
      rules.allow({ principal: 'ada', arguments: { folder: 'ada' } }),
      rules.deny({}),
    ],
    health: false,
    onWarning: () => undefined,
  });
  await host.session({ principal: 'ada' }).call('notes.look', { folder: 'ada' });
  for (const [principal, folder] of [
    ['bob', 'ada'],
    ['ada', 'bob'],
    ['', 'ada'],
  ] as const)
    await expect(host.session({ principal }).call('notes.look', { folder })).rejects.toMatchObject({
      code: 'MCP_DENIED',
    });
  expect(notes.params('tools/call').map((params) => params['arguments'])).toEqual([{ folder: 'ada' }]);
});
