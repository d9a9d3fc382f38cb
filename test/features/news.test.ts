/** Change notifications: pushed to sessions, or sent on a subscription stream. */
import { expect } from 'vitest';
import type { Change } from '../../src/model/change.ts';
import { everyRevision } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

const STATELESS = '2026-07-28';

async function take(watch: AsyncIterable<Change>, count: number): Promise<Change[]> {
  const taken: Change[] = [];
  for await (const news of watch) if (taken.push(news) === count) break;
  return taken;
}

everyRevision('who watches the lists hears of every change', async ({ client, revision, wire }) => {
  verifies('TOOL-7', 'TOOL-8', 'RES-7', 'RES-8', 'PROMPT-5', 'PROMPT-6');
  const watch = client.watch({ tools: true, prompts: true, resources: true });
  expect(await watch.granted).toMatchObject({ toolsListChanged: true, promptsListChanged: true });
  await client.call('season', { open: true });
  const news = await take(watch, 3);
  expect(news.map(({ kind }) => kind).sort()).toEqual(['prompts', 'resources', 'tools']);
  expect((await client.list('tools').all()).map(({ name }) => name)).toContain('regatta');
  expect(wire.requests('subscriptions/listen')).toHaveLength(revision >= STATELESS ? 1 : 0);
});

everyRevision('who watches a resource hears of that one', async ({ client, revision, wire }) => {
  verifies('RES-10', 'RES-11', 'RES-13', 'EXT-14');
  const watch = client.watch({ resources: ['harbour://log'] });
  await watch.granted;
  await client.call('write');
  expect(await take(watch, 1)).toEqual([{ kind: 'resource', uri: 'harbour://log' }]);
  const told = wire.notifications('notifications/resources/updated');
  expect(told.map(({ params }) => params?.['uri'])).toEqual(['harbour://log']);
  if (revision < STATELESS) expect(wire.result('resources/subscribe')).toEqual({});
});

everyRevision('a client subscribes, acts, and awaits one change after the other', async ({ client }) => {
  await using watch = client.watch({ resources: ['harbour://log'], prompts: true });
  await watch.granted;
  await client.call('write');
  expect(await watch.nextChange()).toEqual({ kind: 'resource', uri: 'harbour://log' });
  await client.call('season', { open: true });
  expect(await watch.nextChange()).toEqual({ kind: 'prompts' });
});

everyRevision('a client gets no notification that it did not ask for', async ({ client, revision, wire }) => {
  verifies('RES-11', 'SUBS-001');
  const watch = client.watch({ prompts: true });
  await watch.granted;
  await client.call('write');
  await client.call('season', { open: true });
  expect(await take(watch, 1)).toEqual([{ kind: 'prompts' }]);
  expect(wire.notifications('notifications/resources/updated')).toEqual([]);
  const listed = wire.notifications('notifications/tools/list_changed');
  expect(listed).toHaveLength(revision >= STATELESS ? 0 : 1);
});

everyRevision(
  'a stream is acknowledged first, and all of it carries its id',
  { since: STATELESS },
  async ({ client, wire }) => {
    verifies('SUBS-002', 'SUBS-003', 'SUBS-004', 'SUBS-008', 'RES-14');
    const watch = client.watch({ resources: ['harbour://log'], tools: true });
    await watch.granted;
    await client.call('write');
    await client.call('season', { open: true });
    await take(watch, 2);
    const [listen] = wire.requests('subscriptions/listen');
    expect(listen?.params?.['notifications']).toEqual({
      toolsListChanged: true,
      resourceSubscriptions: ['harbour://log'],
    });
    const tagged = wire.log.flatMap(({ side, message }) => (side === '<' && 'method' in message ? [message] : []));
    expect(tagged[0]?.method).toBe('notifications/subscriptions/acknowledged');
    const tag = { 'io.modelcontextprotocol/subscriptionId': listen?.id };
    expect(tagged.map(({ params }) => params?.['_meta'])).toEqual(tagged.map(() => tag));
  },
);

everyRevision('what belongs to a call never travels on a stream', { since: STATELESS }, async ({ client, wire }) => {
  verifies('SUBS-011', 'LOG-9', 'PROGRESS-013');
  const watch = client.watch({ tools: true, resources: ['harbour://log'] });
  await watch.granted;
  await client.setLogLevel('debug');
  await client.call('load', { crates: 2 });
  await client.call('horn');
  const told = ['notifications/progress', 'notifications/message'].flatMap((method) => wire.notifications(method));
  expect(told).toHaveLength(6);
  expect(JSON.stringify(told)).not.toContain('subscriptionId');
});

everyRevision('two streams are told apart', async ({ client }) => {
  verifies('SUBS-009', 'SUBS-010');
  const log = client.watch({ resources: ['harbour://log'] });
  const ship = client.watch({ resources: ['harbour://ships/beagle'] });
  await Promise.all([log.granted, ship.granted]);
  await client.call('write');
  expect(await take(log, 1)).toEqual([{ kind: 'resource', uri: 'harbour://log' }]);
  expect(await take(ship, 1)).toEqual([{ kind: 'resource', uri: 'harbour://ships/beagle' }]);
});

everyRevision('who stops watching hears no more', async ({ client, wire }) => {
  const watch = client.watch({ resources: ['harbour://log'] });
  await watch.granted;
  await client.call('write');
  await take(watch, 1);
  // The end of the watch is sent before this call.
  await client.call('nothing');
  await client.call('write');
  expect(wire.notifications('notifications/resources/updated')).toHaveLength(1);
});

everyRevision(
  'subscribing to a resource is gone where streams took its place',
  { since: STATELESS, strictClient: false },
  async ({ client }) => {
    verifies('SUBS-018');
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      await expect(client.request(method, { uri: 'harbour://log' })).rejects.toMatchObject({ code: -32601 });
    }
  },
);
