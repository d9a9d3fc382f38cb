/** Sessions in their ids: how long an id gets, and what is left out for it. */
import { expect, test } from 'vitest';
import type { ClientCapabilities } from '../../model/caller.ts';
import { createSealer } from '../../revisions/asks/seal.ts';
import { SessionSealer } from './sealed-id.ts';

const key = new Uint8Array(32);
const sealer = new SessionSealer([key]);
const facts = (name: string, principal: string, capabilities: ClientCapabilities) => ({
  ...{ revision: '2025-11-25', caller: { info: { name, version: '1' }, capabilities }, principal, began: 1_000 },
});
const extensions = { 'io.example/a': { text: 'x'.repeat(100) } };

test.each<[string, number, boolean, boolean]>([
  ['has everything where there is room', 0, true, true],
  ['leaves out the extensions where there is less', 540, false, true],
  ['leaves out the name of the client too where there is hardly any', 640, false, false],
])('the id of a session %s', async (_, length, hasExtensions, hasName) => {
  const id = await sealer.seal(facts('c'.repeat(64), 'p'.repeat(length), { roots: {}, extensions }), '/mcp');
  const { caller, principal, began } = (await sealer.open(id, '/mcp')) ?? {};
  expect([principal?.length, began, caller?.capabilities.roots]).toEqual([length, 1_000, {}]);
  expect([caller?.capabilities.extensions !== undefined, caller?.info?.name !== '']).toEqual([hasExtensions, hasName]);
});

test('an id has everything up to 1,024 characters, and is read up to 2,048', async () => {
  let [whole, read] = [0, 0];
  // Most lengths are far from either.
  for (let length = 0; length < 1_700; length += length === 560 ? 740 : 1) {
    const id = await sealer.seal(facts('c', 'p'.repeat(length), { extensions }), '/mcp');
    const opened = await sealer.open(id, '/mcp');
    if (opened !== undefined) read = Math.max(read, id.length);
    if (opened?.caller.capabilities.extensions !== undefined) whole = Math.max(whole, id.length);
  }
  expect([whole, read]).toEqual([1_024, 2_048]);
});

test('an id says of a client what a server asks about, and of its name and version 64 characters', async () => {
  const capabilities = {
    elicitation: { form: {}, url: {}, more: {} },
    sampling: { context: {}, tools: {}, more: {} },
    roots: { listChanged: true },
    experimental: { more: {} },
  };
  const caller = { info: { name: 'n'.repeat(65), version: '1'.repeat(65) }, capabilities };
  const opened = await sealer.open(await sealer.seal({ ...facts('', '', {}), caller }, '/mcp'), '/mcp');
  expect(opened?.caller).toEqual({
    info: { name: 'n'.repeat(64), version: '1'.repeat(64) },
    capabilities: { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} },
  });
  const odd = { elicitation: { form: true } } as unknown as ClientCapabilities; // as a client may send it
  const nameless = { ...facts('', '', {}), caller: { capabilities: odd } };
  expect((await sealer.open(await sealer.seal(nameless, '/mcp'), '/mcp'))?.caller).toEqual({
    info: { name: '', version: '' },
    capabilities: { elicitation: {} },
  });
});

test.each([
  [512, true],
  [513, false],
])('an id has extensions of %i characters: %s', async (length, isKept) => {
  const empty = JSON.stringify({ a: '' }).length;
  const extensions = { a: 'x'.repeat(length - empty) } as unknown as ClientCapabilities['extensions'] & object; // or any JSON
  const id = await sealer.seal(facts('c', 'p', { extensions }), '/mcp');
  expect((await sealer.open(id, '/mcp'))?.caller.capabilities.extensions !== undefined).toBe(isKept);
});

test('each id has another name, of 96 random bits', async () => {
  const ids = await Promise.all([1, 2].map(() => sealer.seal(facts('c', 'p', {}), '/mcp')));
  const names = await Promise.all(ids.map(async (id) => (await sealer.open(id, '/mcp'))?.name));
  expect([new Set(names).size, ...names.map((name) => name?.length)]).toEqual([2, 16, 16]);
});

test.each([
  ['what another version wrote', [2, '2025-11-25', '', '', {}, 'p', 1, 'n'], 'session /mcp'],
  ['the state of a call', [1, '2025-11-25', '', '', {}, 'p', 1, 'n'], '/mcp'],
])('%s is no id, also with the right key', async (_what, written, boundTo) => {
  const forged = await createSealer([key]).seal(JSON.stringify(written), boundTo);
  expect(await sealer.open(forged, '/mcp')).toBeUndefined();
});

test('an id of one endpoint opens no session of another', async () => {
  const id = await sealer.seal(facts('c', 'p', {}), '/mcp');
  expect(await sealer.open(id, '/mcp')).toBeDefined();
  for (const path of ['/other', '/mcp/', '/MCP', '']) expect(await sealer.open(id, path)).toBeUndefined();
});
