/** Completions for arguments of prompts and variables of templates, in every revision. */
import { expect } from 'vitest';
import { everyRevision } from '../support/every-revision.ts';
import { verifies } from '../support/verifies.ts';

const ship = { type: 'ref/resource', uri: 'harbour://ships/{name}' } as const;
const deck = { type: 'ref/resource', uri: 'harbour://ships/{name}/decks/{deck}' } as const;
const report = { type: 'ref/prompt', name: 'report' } as const;

everyRevision('a server that completes says so, where there is a word for it', async ({ client, revision }) => {
  verifies('COMP-1');
  expect(client.server.capabilities.completions).toEqual(revision >= '2025-03-26' ? {} : undefined);
});

everyRevision('values are suggested for prompts and templates', async ({ client, wire }) => {
  verifies('COMP-2', 'COMP-3');
  const forTemplate = await client.complete(ship, { name: 'name', value: 'al' });
  expect(forTemplate).toEqual({ values: ['albatross', 'alcyone'], total: 2, hasMore: false });
  const forPrompt = await client.complete(report, { name: 'ship', value: 'b' });
  expect(forPrompt.values).toEqual(['beagle']);
  expect(wire.requests('completion/complete').map(({ params }) => params?.['ref'])).toEqual([ship, report]);
});

everyRevision('an answer holds a hundred values and says how many there are', async ({ client }) => {
  verifies('COMP-2');
  const buoy = { type: 'ref/resource', uri: 'harbour://buoys/{number}' } as const;
  const { values, total, hasMore } = await client.complete(buoy, { name: 'number', value: '' });
  expect([values.length, total, hasMore]).toEqual([100, 250, true]);
});

everyRevision('what is filled in already is told where the revision can', async ({ client, revision, wire }) => {
  verifies('COMP-4');
  const { values } = await client.complete(deck, { name: 'deck', value: 'm' }, { context: { name: 'beagle' } });
  expect(values).toEqual(revision >= '2025-06-18' ? ['main', 'mizzen'] : ['main']);
  expect('context' in (wire.requests('completion/complete')[0]?.params ?? {})).toBe(revision >= '2025-06-18');
});

everyRevision('an argument without suggestions has none', async ({ client }) => {
  verifies('COMP-12');
  expect((await client.complete(report, { name: 'pages', value: '' })).values).toEqual([]);
});

everyRevision('what cannot be completed is refused', { strictClient: false }, async ({ client }) => {
  verifies('COMP-5', 'COMP-9', 'COMP-13');
  const unknown = client.complete({ type: 'ref/prompt', name: 'nothing' }, { name: 'ship', value: '' });
  await expect(unknown).rejects.toMatchObject({ code: -32602 });
  const nowhere = client.complete({ type: 'ref/resource', uri: 'harbour://nowhere' }, { name: 'name', value: '' });
  await expect(nowhere).rejects.toMatchObject({ code: -32602 });
  const malformed = client.request('completion/complete', { ref: report, argument: { name: 'ship' } });
  await expect(malformed).rejects.toMatchObject({ code: -32602 });
});
