/** Where secrets of a gateway file are found, and the errors for missing ones. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findSecret } from './secrets.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-secrets-'));
  await writeFile(join(folder, 'one'), 'from the folder\r\n');
  await writeFile(join(folder, 'empty-lines'), 'a\n\n');
  await writeFile(join(folder, 'largest'), 'x'.repeat(65_536));
  await writeFile(join(folder, 'larger'), 'x'.repeat(65_537));
  await mkdir(join(folder, 'sub'));
});
afterAll(() => rm(folder, { recursive: true }));

const run = async (command: readonly string[]): Promise<string> => `printed by ${command.join(' ')}`;
const find = (name: string, more: Partial<Parameters<typeof findSecret>[1]> = {}): Promise<string> =>
  findSecret(name, { folder, env: {}, run, ...more });

test('a file of the folder comes first, without its last line end', async () => {
  expect(await find('one', { env: { ONE: 'not this' }, command: ['vault'] })).toBe('from the folder');
  expect(await find('empty-lines')).toBe('a\n');
  expect(await find('largest')).toHaveLength(65_536);
});

test('then a variable that is not empty, then the command', async () => {
  expect(await find('two.b', { env: { TWO_B: 'from the variable' }, command: ['vault'] })).toBe('from the variable');
  expect(await find('two.b', { env: { TWO_B: '' }, command: ['vault', 'read'] })).toBe('printed by vault read two.b');
});

test.each(['', '.', '..', '../one', 'a/b', 'a\\b', '.hidden', 'a b', 'x'.repeat(129)])(
  'the name %j is rejected before it is looked up',
  async (name) => {
    await expect(find(name, { command: ['vault'] })).rejects.toThrow('letters, digits, dots');
  },
);

test('a secret that is nowhere says where it was looked for', async () => {
  await expect(find('none')).rejects.toThrow(
    `unknown secret "none": no file ${join(folder, 'none')} and no variable NONE; add one of them`,
  );
  await expect(findSecret('none', { env: {}, run })).rejects.toThrow('no variable NONE; add it');
});

test('a file that cannot be read is an error, and nothing else is looked up', async () => {
  const elsewhere = { env: { SUB: 'not this', LARGER: 'not this' }, command: ['vault'] };
  await expect(find('sub', elsewhere)).rejects.toThrow(/sub cannot be read: (?!undefined)./);
  await expect(find('larger', elsewhere)).rejects.toThrow('larger cannot be read');
});
