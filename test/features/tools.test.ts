/** Tools in every revision: lists, results, and failures. */
import { expect } from 'vitest';
import { RpcError, ToolError } from '../../src/errors.ts';
import { SECRET } from '../fixtures/harbour/tools.ts';
import { everyRevision } from '../support/every-revision.ts';
import { soon } from '../support/soon.ts';
import { verifies } from '../support/verifies.ts';

everyRevision('a server that offers tools says so', async ({ client }) => {
  verifies('TOOL-1', 'DISC-7');
  expect(client.server.capabilities).toMatchObject({
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    logging: {},
  });
});

everyRevision('every tool is listed, in the order of its definition, with an object schema', async ({ client }) => {
  verifies('TOOL-6', 'TOOL-9', 'TOOL-10', 'TOOL-11');
  const first = await client.list('tools').all();
  const again = await client.list('tools', { fresh: true }).all();
  expect(first.map(({ name }) => name).slice(0, 4)).toEqual(['whoami', 'tide', 'berths', 'manifest']);
  expect(again).toEqual(first);
  for (const { inputSchema } of first) expect(inputSchema['type']).toBe('object');
  const nothing = first.find(({ name }) => name === 'nothing');
  expect(nothing?.inputSchema).toEqual({ type: 'object', additionalProperties: false });
});

everyRevision('a tool is described in the words of the revision', async ({ client, revision }) => {
  const tools = await client.list('tools').all();
  const tide = tools.find(({ name }) => name === 'tide');
  const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  expect(tide?.description).toBe('The height of the tide in a port');
  expect(tide?.title).toBe(revision >= '2025-06-18' ? 'Tide table' : undefined);
  expect(tide?._meta).toEqual({ 'example.harbour/table': 'tides' });
  expect(tide?.icons?.length).toBe(revision >= '2025-11-25' ? 1 : undefined);
  const { annotations } = tide ?? {};
  if (revision === '2024-11-05') expect(annotations).toBeUndefined();
  else if (revision === '2025-03-26') expect(annotations).toEqual({ title: 'Tide table', ...hints });
  else expect(annotations).toEqual(hints);
  const weigh = tools.find(({ name }) => name === 'weigh');
  expect(weigh?.execution).toEqual(revision === '2025-11-25' ? { taskSupport: 'forbidden' } : undefined);
});

everyRevision('a schema for data is sent only to those who can read it', async ({ client, revision }) => {
  verifies('TOOL-17', 'TOOL-18', 'TOOL-24');
  const tools = await client.list('tools').all();
  const typeOf = (wanted: string): unknown => tools.find(({ name }) => name === wanted)?.outputSchema?.['type'];
  expect(typeOf('tide')).toBe(revision >= '2025-06-18' ? 'object' : undefined);
  expect(typeOf('berths')).toBe(revision >= '2026-07-28' ? 'array' : undefined);
});

everyRevision('a call returns data that matches the schema, and text', async ({ client, revision, wire }) => {
  verifies('TOOL-20', 'TOOL-24', 'TOOL-69');
  const { data, text } = await client.call('tide', { port: 'Kiel' });
  expect(text).toContain('Kiel: 3 m');
  expect(data).toEqual(revision >= '2025-06-18' ? { port: 'Kiel', hours: 12, metres: 3 } : undefined);
  // Revisions without structured content get text.
  if (revision < '2025-06-18') expect(text).toContain('{"port":"Kiel","hours":12,"metres":3}');
  expect(wire.requests('tools/call')[0]?.params).toMatchObject({ name: 'tide', arguments: { port: 'Kiel' } });
});

everyRevision('a list is data where any JSON is, and text everywhere', async ({ client, revision, wire }) => {
  verifies('TOOL-17', 'TOOL-18', 'TOOL-23', 'TOOL-24');
  const { data, text } = await client.call('berths');
  const list = [
    { berth: 'A1', free: true },
    { berth: 'A2', free: false },
  ];
  expect(data).toEqual(revision >= '2026-07-28' ? list : undefined);
  expect(text.split('\n')).toEqual(['1 of 2 free', JSON.stringify(list)]);
  expect('structuredContent' in wire.result('tools/call')).toBe(revision >= '2026-07-28');
});

everyRevision(
  'an object without a schema is data and text; nothing is an empty result',
  async ({ client, revision }) => {
    const manifest = await client.call('manifest', { ship: 'Beagle', cargo: ['tea'] });
    expect(manifest.text).toBe('{"ship":"Beagle","crates":1}');
    expect(manifest.data).toEqual(revision >= '2025-06-18' ? { ship: 'Beagle', crates: 1 } : undefined);
    expect((await client.call('receipt')).meta).toMatchObject({ 'example.harbour/till': 3 });
    expect((await client.call('nothing')).content).toEqual([]);
  },
);

everyRevision('every kind of content block arrives, or what comes nearest to it', async ({ client, revision }) => {
  verifies('TOOL-63', 'TOOL-64', 'TOOL-66', 'TOOL-68');
  const { content } = await client.call('postcard');
  const audio = revision >= '2025-03-26' ? 'audio' : 'resource';
  const link = revision >= '2025-06-18' ? 'resource_link' : 'text';
  expect(content.map(({ type }) => type)).toEqual(['text', 'image', audio, link, 'resource', 'resource']);
  expect(content[0]).toEqual({ type: 'text', text: 'Greetings', annotations: { audience: ['user'], priority: 0.5 } });
  if (link === 'text') expect(content[3]).toMatchObject({ text: expect.stringContaining('harbour://log') });
  expect(content[4]).toMatchObject({ resource: { uri: 'harbour://log', mimeType: 'text/plain', text: 'All quiet' } });
});

everyRevision('a tool that fails says why, and an absent isError is success', async ({ client, wire }) => {
  verifies('TOOL-43', 'TOOL-49');
  await expect(client.call('sink')).rejects.toThrow(new ToolError('The ship has sunk; choose another one'));
  expect(wire.result('tools/call')).toMatchObject({ isError: true });
  await client.call('receipt');
  expect('isError' in wire.result('tools/call')).toBe(false);
});

everyRevision('nothing of an exception leaves the process but an id', async ({ client, wire }) => {
  await expect(client.call('leak')).rejects.toThrow(/^Internal error \(\w+\)$/);
  expect(JSON.stringify(wire.log)).not.toContain(SECRET);
  expect((await client.call('journal')).text).toContain(SECRET);
});

everyRevision('a tool that throws an RpcError gives an error of the protocol', async ({ client }) => {
  const refused = { code: 423, message: 'The harbour is closed', data: { opens: '06:00' } };
  await expect(client.call('refuse')).rejects.toMatchObject(refused);
});

everyRevision('a result that breaks its schema never leaves the server', async ({ client, wire }) => {
  verifies('TOOL-20');
  await expect(client.call('lie')).rejects.toThrow(/^Internal error/);
  expect('structuredContent' in wire.result('tools/call')).toBe(false);
});

everyRevision('an unknown tool is an error of the protocol', async ({ client }) => {
  verifies('TOOL-44', 'TOOL-37');
  await expect(client.call('TIDE', { port: 'Kiel' })).rejects.toThrow(new RpcError(-32602, 'Unknown tool: TIDE'));
});

everyRevision('wrong arguments never reach the tool', async ({ client, revision }) => {
  verifies('TOOL-45', 'TOOL-50');
  const call = client.call('tide', { port: 'Kiel', hours: 49 });
  await expect(call).rejects.toThrow(/Invalid arguments for tool "tide": hours: /);
  await expect(call).rejects.toBeInstanceOf(revision >= '2025-11-25' ? ToolError : RpcError);
});

everyRevision(
  'a request that is no tool call is an error of the protocol',
  { strictClient: false },
  async ({ client }) => {
    verifies('TOOL-46', 'TOOL-69');
    await expect(client.request('tools/call', { arguments: {} })).rejects.toMatchObject({ code: -32602 });
    await expect(client.request('tools/call', { name: 'tide', arguments: [] })).rejects.toMatchObject({ code: -32602 });
  },
);

everyRevision('progress is reported under the token of its request, and grows', async ({ client, revision, wire }) => {
  verifies('PROGRESS-001', 'PROGRESS-003', 'PROGRESS-005', 'PROGRESS-010');
  const seen: unknown[] = [];
  await client.call('load', { crates: 3 }, { onProgress: (one) => seen.push(one) });
  const words = (n: number): object => (revision >= '2025-03-26' ? { message: `Crate ${n}` } : {});
  expect(seen).toEqual([1, 2, 3].map((n) => ({ progress: n, total: 3, ...words(n) })));
  const told = wire.notifications('notifications/progress');
  const token = wire.requests('tools/call')[0]?.params?.['_meta'] as { progressToken: unknown };
  expect(told.map(({ params }) => params?.['progressToken'])).toEqual(Array(3).fill(token.progressToken));
});

everyRevision('calls at the same time have tokens of their own', async ({ client, wire }) => {
  verifies('PROGRESS-002');
  const seen = new Map<number, number[]>([
    [2, []],
    [5, []],
  ]);
  const load = (crates: number): Promise<unknown> =>
    client.call('load', { crates }, { onProgress: ({ progress }) => seen.get(crates)?.push(progress) });
  await Promise.all([load(2), load(5)]);
  expect([...seen.values()]).toEqual([
    [1, 2],
    [1, 2, 3, 4, 5],
  ]);
  const tokens = wire.requests('tools/call').map(({ params }) => JSON.stringify(params?.['_meta']));
  expect(new Set(tokens).size).toBe(2);
});

everyRevision('a call that is cancelled is aborted on the server', async ({ client }) => {
  verifies('CANCEL-006');
  const abort = new AbortController();
  const onProgress = (): void => abort.abort(new Error('Changed my mind'));
  const call = client.call('wait', {}, { signal: abort.signal, onProgress });
  await expect(call).rejects.toMatchObject({
    code: 'MCP_CANCELLED',
    message: expect.stringContaining('Changed my mind'),
  });
  // If cancelling means disconnecting, the order in which the server handles both connections is undefined.
  await soon(async () => expect((await client.call('journal')).text).toContain('"aborted":["wait"]'));
});

everyRevision('a tool knows who calls it, and reads resources of its own server', async ({ client, revision }) => {
  const { text } = await client.call('whoami');
  expect(JSON.parse(text)).toMatchObject({ client: 'mooring-client', subject: null, pier: 'A', capabilities: [] });
  expect((await client.call('look', { uri: 'harbour://log' })).text).toContain('All quiet');
  const missing = client.call('look', { uri: 'harbour://nowhere' });
  await expect(missing).rejects.toMatchObject({ code: revision >= '2026-07-28' ? -32602 : -32002 });
});

everyRevision('any schema library describes a tool', { fixture: 'libraries' }, async ({ client, revision }) => {
  for (const name of ['zod', 'valibot', 'arktype', 'json-schema']) {
    const { data, text } = await client.call(name, { ship: 'Beagle', crates: 3 });
    expect(JSON.parse(text)).toEqual({ ship: 'Beagle', weight: 60 });
    if (revision >= '2025-06-18') expect(data).toEqual({ ship: 'Beagle', weight: 60 });
    await expect(client.call(name, { ship: 'Beagle', crates: 0 })).rejects.toThrow(/crates/);
  }
});
