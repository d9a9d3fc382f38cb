/** Resources and templates, in every revision. */
import { expect } from 'vitest';
import { PIXEL, SECRET } from '../fixtures/harbour/tools.ts';
import { everyRevision } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

everyRevision('resources are listed with their addresses and names', async ({ client, revision }) => {
  verifies('RES-1', 'RES-6');
  expect(client.server.capabilities.resources).toEqual({ subscribe: true, listChanged: true });
  const resources = await client.list('resources').all();
  expect(resources.every(({ uri, name }) => uri !== '' && name !== '')).toBe(true);
  const log = resources.find(({ uri }) => uri === 'harbour://log');
  const modified = revision >= '2025-06-18' ? { lastModified: '2025-01-12T15:00:58Z' } : {};
  expect(log).toEqual({
    uri: 'harbour://log',
    name: 'log',
    description: 'What happened today',
    mimeType: 'text/plain',
    size: 9,
    annotations: { audience: ['user', 'assistant'], priority: 1, ...modified },
    _meta: { 'example.harbour/shelf': 1 },
    ...(revision >= '2025-06-18' ? { title: 'The log' } : {}),
    ...(revision >= '2025-11-25' ? { icons: [{ src: 'https://harbour.example/log.png' }] } : {}),
  });
});

everyRevision('templates are listed on their own', async ({ client, revision }) => {
  verifies('RES-18');
  const templates = await client.list('templates').all();
  expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'harbour://ships/{name}',
    'harbour://ships/{name}/decks/{deck}',
    'harbour://buoys/{number}',
  ]);
  expect(templates[0]).toEqual({
    uriTemplate: 'harbour://ships/{name}',
    name: 'ship',
    description: 'One ship by name',
    mimeType: 'application/json',
    annotations: { priority: 0.2 },
    ...(revision >= '2025-06-18' ? { title: 'A ship', _meta: { 'example.harbour/shelf': 2 } } : {}),
    ...(revision >= '2025-11-25' ? { icons: [{ src: 'https://harbour.example/ship.png' }] } : {}),
  });
});

everyRevision('text, bytes and objects are read as what they are', async ({ client }) => {
  verifies('RES-15', 'RES-32');
  const log = await client.read('harbour://log');
  expect(log.contents).toEqual([{ uri: 'harbour://log', mimeType: 'text/plain', text: 'All quiet' }]);
  expect(log.text).toBe('All quiet');
  const logo = await client.read('harbour://logo');
  expect(logo.contents).toEqual([{ uri: 'harbour://logo', mimeType: 'image/png', blob: PIXEL }]);
  const chart = await client.read('harbour://chart');
  expect(chart.contents).toEqual([
    { uri: 'harbour://chart', mimeType: 'application/json', text: '{"scale":5000,"lights":["north","south"]}' },
  ]);
});

everyRevision('one read may bring several contents', async ({ client }) => {
  verifies('RES-16');
  const _meta = { 'example.harbour/page': 1 };
  expect((await client.read('harbour://pair')).contents).toEqual([
    { uri: 'harbour://pair/1', mimeType: 'text/plain', text: 'one', _meta },
    { uri: 'harbour://pair/2', mimeType: 'image/png', blob: PIXEL },
  ]);
});

everyRevision('a template is read under each address that it matches', async ({ client }) => {
  verifies('RES-18');
  expect((await client.read('harbour://ships/beagle')).text).toBe('{"name":"beagle"}');
  expect((await client.read('harbour://ships/beagle/decks/main')).text).toBe('Deck main of beagle');
  expect((await client.read('harbour://buoys/sm%C3%B8rbukk')).text).toBe('Buoy smørbukk');
});

everyRevision('what does not exist is not found, by the number of the revision', async ({ client, revision, wire }) => {
  verifies('RES-23', 'RES-24', 'RES-26', 'RES-27', 'RES-28', 'RES-29');
  for (const uri of ['harbour://nowhere', 'harbour://fog', 'harbour://ships/titanic']) {
    await expect(client.read(uri)).rejects.toMatchObject({
      code: revision >= '2026-07-28' ? -32602 : -32002,
      reason: 'resource-not-found',
      data: { uri },
    });
  }
  expect(wire.responses('resources/read').every((response) => 'error' in response)).toBe(true);
});

everyRevision('what is no address is refused', { strictClient: false }, async ({ client }) => {
  verifies('RES-30');
  await expect(client.read('not a uri')).rejects.toMatchObject({ code: -32602 });
  await expect(client.request('resources/read', { uri: 5 })).rejects.toMatchObject({ code: -32602 });
});

everyRevision('a resource that fails gives an internal error and no secrets', async ({ client, wire }) => {
  verifies('RES-23', 'RES-25');
  await expect(client.read('harbour://wreck')).rejects.toMatchObject({
    code: -32603,
    message: expect.stringMatching(/^Internal error \(\w+\)$/),
  });
  expect(JSON.stringify(wire.log)).not.toContain(SECRET);
});

everyRevision('reads and lists say how long they hold', { since: '2026-07-28' }, async ({ client, wire }) => {
  verifies('CACHE-1', 'CACHE-3');
  await client.read('harbour://chart');
  expect(wire.result('resources/read')).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  await client.read('harbour://log');
  expect(wire.result('resources/read')).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  for (const [kind, method] of [
    ['tools', 'tools/list'],
    ['prompts', 'prompts/list'],
    ['resources', 'resources/list'],
    ['templates', 'resources/templates/list'],
  ] as const) {
    await client.list(kind).all();
    expect(wire.result(method)).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  }
});

everyRevision(
  'an answer is kept if it says that it holds, and asked for again if not',
  async ({ client, revision, wire }) => {
    verifies('CACHE-6');
    for (let i = 0; i < 2; i++) {
      await client.read('harbour://chart');
      await client.read('harbour://log');
    }
    const asked = wire.requests('resources/read').map(({ params }) => params?.['uri']);
    const chart = revision >= '2026-07-28' ? [] : ['harbour://chart'];
    expect(asked).toEqual(['harbour://chart', 'harbour://log', ...chart, 'harbour://log']);
  },
);

everyRevision(
  'a resource may ask before it is read',
  { user: (user) => user.answer('Open the archive?', true), since: '2025-06-18' },
  async ({ client, revision, user, wire }) => {
    verifies('RES-35', 'CACHE-2');
    expect((await client.read('harbour://keeper')).text).toBe('Open');
    expect(user.asked.map(({ message }) => message)).toEqual(['Open the archive?']);
    if (revision < '2026-07-28') return;
    const [interim] = wire.responses('resources/read');
    expect(interim).toMatchObject({ result: { resultType: 'input_required' } });
    expect(interim).not.toHaveProperty('result.ttlMs');
  },
);
