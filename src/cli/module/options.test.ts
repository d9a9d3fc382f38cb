import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from '../../../test/support/command-line.ts';
import { listenAddressIn, moduleIn } from './options.ts';

type Values = Parameters<typeof listenAddressIn>[0]['values'];
const addressOf = (values: Values): unknown => listenAddressIn({ values });

const moduleOf = (cwd: string, words: readonly string[], more: object = {}): unknown =>
  moduleIn({ words, values: {}, after: undefined, shell: { cwd }, ...more } as unknown as Parameters<
    typeof moduleIn
  >[0]); // the members that are read

test.each(['shop.ts', 'shop.js', 'shop.MJS', 'shop.cts', 'shop.jsx'])('%s is a module', async (name) => {
  await using at = await folder();
  await writeFile(join(at.path, name), '');
  const named = { values: { export: 'shop' } };
  expect(moduleOf(at.path, [name], named)).toEqual({ file: join(at.path, name), argument: name, name: 'shop' });
});

test.each<[string, readonly string[], object, string]>([
  ['nothing', [], {}, '<module>: expected the path'],
  ['a command', ['shop.ts'], { after: ['node', 'shop.js'] }, '--: expected a module, not a command'],
  ['a file that is not there', ['none.ts'], {}, 'none.ts: file not found'],
  ['a folder', ['folder.ts'], {}, 'this is a folder'],
  ['another file', ['notes.tsv'], {}, 'expected a .js, .mjs, .cjs, .ts or .mts file'],
  ['a file without an extension', ['shopts'], {}, 'expected a .js, .mjs, .cjs, .ts or .mts file'],
  ['another word', ['shop.ts', 'more'], {}, 'more'],
  ['an address for --http', ['shop.ts', 'localhost'], { values: { http: '' } }, '--http localhost: expected a port'],
])('a module argument is rejected: %s', async (_what, words, more, why) => {
  await using at = await folder();
  await Promise.all(['shop.ts', 'notes.tsv', 'shopts'].map((name) => writeFile(join(at.path, name), '')));
  await mkdir(join(at.path, 'folder.ts'));
  expect(() => moduleOf(at.path, words, more)).toThrow(why);
});

test('--http serves on port 3000 of this machine at /mcp, unless options say otherwise', () => {
  expect(addressOf({})).toBeUndefined();
  expect(addressOf({ http: '' })).toEqual({ port: 3000, host: '127.0.0.1', path: '/mcp' });
  expect(addressOf({ http: '0', host: '::1', path: '/shop', json: true })).toEqual({
    ...{ port: 0, host: '::1', path: '/shop' },
  });
  expect(addressOf({ http: '65535', host: 'localhost' })).toMatchObject({ port: 65_535, host: 'localhost' });
});

test.each<[Values, string]>([
  [{ host: 'localhost' }, '--host: this option requires --http'],
  [{ path: '/mcp' }, '--path: this option requires --http'],
  [{ json: true }, '--json: standard output carries protocol messages'],
  [{ http: '65536' }, '--http'],
  [{ http: '', host: '0.0.0.0' }, '--host 0.0.0.0: other machines could reach the server'],
  [{ http: '', host: '' }, 'other machines could reach the server'],
  [{ http: '', host: '127.0.0.1.example' }, 'other machines could reach the server'],
  [{ http: '', path: 'mcp' }, '--path mcp: expected a path such as /mcp: write /mcp'],
])('the options %j are rejected', (values, why) => {
  expect(() => addressOf(values)).toThrow(why);
});
