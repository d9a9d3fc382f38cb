/** Sessions in their ids: how long an id gets, and what is left out for it. */
import { expect, test } from 'vitest';
import type { ClientCapabilities } from '../../model/caller.ts';
import { SessionSealer } from './sealed-id.ts';

const sealer = new SessionSealer([new Uint8Array(32)]);
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

test('an id of more than 2,048 characters is not read', async () => {
  const id = await sealer.seal(facts('c', 'p'.repeat(1_600), {}), '/mcp');
  expect([id.length > 2_048, await sealer.open(id, '/mcp')]).toEqual([true, undefined]);
});
