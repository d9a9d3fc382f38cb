/** Calls through a gateway, for callers and upstreams of any revision, over every transport. */
import { expect } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { everyPair, type PairScene } from '../support/every-pair.ts';
import { soon } from '../support/soon.ts';

everyPair(
  'calls, lists, reads, prompts, completions, progress, cancellation, log messages and changes of lists pass through a gateway',
  {},
  async (scene) => {
    await lists(scene.client);
    await calls(scene);
    await reads(scene.client);
    await prompts(scene);
    await completes(scene);
    await reports(scene);
    await cancels(scene);
    await changes(scene);
  },
);

async function lists(client: Client): Promise<void> {
  const tools = await client.list('tools').all();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['dock__tide', 'dock__horn', 'dock__season']));
  expect(tools.every(({ name }) => name.startsWith('dock__'))).toBe(true);
  const resources = await client.list('resources').all();
  expect(resources.map(({ uri }) => uri)).toContain('dock+harbour://log');
  const templates = await client.list('templates').all();
  expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain('dock+harbour://ships/{name}');
  expect((await client.list('prompts').all()).map(({ name }) => name)).toContain('dock__report');
}

async function calls({ client, caller }: PairScene): Promise<void> {
  const { data, text } = await client.call('dock__weigh', { crates: [1, 2, 4] });
  // Older revisions have no structured content, so it arrives as text.
  expect(data ?? JSON.parse(text)).toEqual({ total: 7 });
  const { content } = await client.call('dock__postcard');
  const uris = content.flatMap((block) => (block.type === 'resource' ? [block.resource.uri] : []));
  expect(uris).toEqual(expect.arrayContaining(['dock+harbour://log', 'dock+harbour://logo']));
  const link = content.find((block) => block.type === 'resource_link');
  if (caller >= '2025-06-18' && link !== undefined) expect(link).toMatchObject({ uri: 'dock+harbour://log' });
  await expect(client.call('dock__sink')).rejects.toMatchObject({ name: 'ToolError' });
  await expect(client.call('dock__nowhere')).rejects.toMatchObject({ code: -32602 });
}

async function reads(client: Client): Promise<void> {
  const { contents } = await client.read('dock+harbour://log');
  expect(contents).toMatchObject([{ uri: 'dock+harbour://log', text: expect.any(String) }]);
  const ship = await client.read('dock+harbour://ships/beagle');
  expect(ship.contents).toMatchObject([{ uri: 'dock+harbour://ships/beagle' }]);
  await expect(client.read('dock+harbour://fog')).rejects.toMatchObject({ reason: 'resource-not-found' });
}

async function prompts({ client }: PairScene): Promise<void> {
  const { messages } = await client.getPrompt('dock__report', { ship: 'beagle', pages: '2' });
  expect(messages[0]).toEqual({ role: 'user', content: { type: 'text', text: 'Write 2 pages about beagle' } });
  const briefing = await client.getPrompt('dock__briefing');
  expect(briefing.messages[0]?.content).toMatchObject({ type: 'resource', resource: { uri: 'dock+harbour://log' } });
}

async function completes({ client, caller, upstream }: PairScene): Promise<void> {
  const ship = { type: 'ref/resource', uri: 'dock+harbour://ships/{name}' } as const;
  expect((await client.complete(ship, { name: 'name', value: 'al' })).values).toEqual(['albatross', 'alcyone']);
  const report = { type: 'ref/prompt', name: 'dock__report' } as const;
  expect((await client.complete(report, { name: 'ship', value: 'b' })).values).toEqual(['beagle']);
  const deck = { type: 'ref/resource', uri: 'dock+harbour://ships/{name}/decks/{deck}' } as const;
  const context = { name: 'beagle' };
  const both = caller >= '2025-06-18' && upstream >= '2025-06-18';
  const { values } = await client.complete(deck, { name: 'deck', value: 'm' }, { context });
  expect(values).toEqual(both ? ['main', 'mizzen'] : ['main']);
}

async function reports({ client, logs, wire, caller }: PairScene): Promise<void> {
  const seen: number[] = [];
  await client.call('dock__load', { crates: 3 }, { onProgress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual([1, 2, 3]);
  await client.setLogLevel('warning');
  const before = logs.length;
  await client.call('dock__horn');
  await soon(() => expect(logs.slice(before).map(({ level }) => level)).toEqual(['warning', 'emergency']));
  if (caller < '2026-07-28') expect(wire.result('logging/setLevel')).toEqual({});
}

async function cancels({ client }: PairScene): Promise<void> {
  const abort = new AbortController();
  const onProgress = (): void => abort.abort();
  const waiting = client.call('dock__wait', {}, { signal: abort.signal, onProgress });
  await expect(waiting).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  await soon(async () => {
    const { data, text } = await client.call('dock__journal');
    expect((data ?? JSON.parse(text)) as object).toMatchObject({ aborted: ['wait'] });
  });
}

async function changes({ client }: PairScene): Promise<void> {
  const watch = client.watch({ tools: true, prompts: true, resources: true });
  expect(await watch.granted).toMatchObject({ toolsListChanged: true, promptsListChanged: true });
  await client.call('dock__season', { open: true });
  const kinds = new Set<string>();
  for await (const { kind } of watch) if (kinds.add(kind).size === 3) break;
  expect([...kinds].sort()).toEqual(['prompts', 'resources', 'tools']);
  expect((await client.list('tools').all()).map(({ name }) => name)).toContain('dock__regatta');
  expect((await client.call('dock__regatta')).text).toBe('Ready, set, sail');
}
