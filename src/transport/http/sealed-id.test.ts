/** Sealed session ids: their length limit, and what is omitted to respect it. */
import { expect, test } from 'vitest';
import type { ClientCapabilities } from '../../model/caller.ts';
import { createSealer } from '../../revisions/asks/seal.ts';
import { SessionSealer } from './sealed-id.ts';

const key = new Uint8Array(32);
const sealer = new SessionSealer([key]);
const sessionData = (name: string, principal: string, capabilities: ClientCapabilities) => ({
  ...{ revision: '2025-11-25', caller: { info: { name, version: '1' }, capabilities }, principal, began: 1_000 },
});
const extensions = { 'io.example/a': { text: 'x'.repeat(100) } };

test.each<[string, number, boolean, boolean]>([
  ['has everything where there is room', 0, true, true],
  ['leaves out the extensions where there is less', 540, false, true],
  ['leaves out the name of the client too where there is hardly any', 640, false, false],
])('the id of a session %s', async (_, length, hasExtensions, hasName) => {
  const id = await sealer.seal(sessionData('c'.repeat(64), 'p'.repeat(length), { roots: {}, extensions }), '/mcp');
  const { caller, principal, began } = (await sealer.open(id, '/mcp')) ?? {};
  expect([principal?.length, began, caller?.capabilities.roots]).toEqual([length, 1_000, {}]);
  expect([caller?.capabilities.extensions !== undefined, caller?.info?.name !== '']).toEqual([hasExtensions, hasName]);
});

test('a sealed id of up to 1,024 characters is complete, and one of up to 2,048 can be opened', async () => {
  let [whole, read] = [0, 0];
  // Skips lengths that are far from both limits.
  for (let length = 0; length < 1_700; length += length === 560 ? 740 : 1) {
    const id = await sealer.seal(sessionData('c', 'p'.repeat(length), { extensions }), '/mcp');
    const opened = await sealer.open(id, '/mcp');
    if (opened !== undefined) read = Math.max(read, id.length);
    if (opened?.caller.capabilities.extensions !== undefined) whole = Math.max(whole, id.length);
  }
  expect([whole, read]).toEqual([1_024, 2_048]);
});

test('a sealed id contains the capabilities that servers check, and 64 characters each of name and version', async () => {
  const capabilities = {
    elicitation: { form: {}, url: {}, more: {} },
    sampling: { context: {}, tools: {}, more: {} },
    roots: { listChanged: true },
    experimental: { more: {} },
  };
  const caller = { info: { name: 'n'.repeat(65), version: '1'.repeat(65) }, capabilities };
  const opened = await sealer.open(await sealer.seal({ ...sessionData('', '', {}), caller }, '/mcp'), '/mcp');
  expect(opened?.caller).toEqual({
    info: { name: 'n'.repeat(64), version: '1'.repeat(64) },
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} },
  });
  const odd = { elicitation: { form: true } } as unknown as ClientCapabilities; // as a client may send it
  const nameless = { ...sessionData('', '', {}), caller: { capabilities: odd } };
  expect((await sealer.open(await sealer.seal(nameless, '/mcp'), '/mcp'))?.caller).toEqual({
    info: { name: '', version: '' },
    capabilities: { elicitation: {} },
  });
});

test.each([
  [512, true],
  [513, false],
])('a sealed id contains extension capabilities of %i characters: %s', async (length, isKept) => {
  const empty = JSON.stringify({ a: '' }).length;
  const extensions = { a: 'x'.repeat(length - empty) } as unknown as ClientCapabilities['extensions'] & object; // or any JSON
  const id = await sealer.seal(sessionData('c', 'p', { extensions }), '/mcp');
  expect((await sealer.open(id, '/mcp'))?.caller.capabilities.extensions !== undefined).toBe(isKept);
});

test('each sealed id has a different name of 96 random bits', async () => {
  const ids = await Promise.all([1, 2].map(() => sealer.seal(sessionData('c', 'p', {}), '/mcp')));
  const names = await Promise.all(ids.map(async (id) => (await sealer.open(id, '/mcp'))?.name));
  expect([new Set(names).size, ...names.map((name) => name?.length)]).toEqual([2, 16, 16]);
});

test.each([
  ['what another version wrote', [2, '2025-11-25', '', '', {}, 'p', 1, 'n'], 'session /mcp'],
  ['the state of a call', [1, '2025-11-25', '', '', {}, 'p', 1, 'n'], '/mcp'],
])(
  'the text %s cannot be opened as a session id, even if sealed with the right key',
  async (_what, written, boundTo) => {
    const forged = await createSealer([key]).seal(JSON.stringify(written), boundTo);
    expect(await sealer.open(forged, '/mcp')).toBeUndefined();
  },
);

test('a sealed id cannot be opened at another path', async () => {
  const id = await sealer.seal(sessionData('c', 'p', {}), '/mcp');
  expect(await sealer.open(id, '/mcp')).toBeDefined();
  for (const path of ['/other', '/mcp/', '/MCP', '']) expect(await sealer.open(id, path)).toBeUndefined();
});
