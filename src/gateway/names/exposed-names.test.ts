/** Exposed names and URIs: short, accepted by every model, unique per upstream, and stable. */
import { expect, test } from 'vitest';
import { dice } from '../../../test/support/flow-corpus.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { isUri } from '../../model/uri-template.ts';
import { buildTable, type ListedUpstream, type PartTable } from '../lists/part-table.ts';
import type { NameSpec } from '../spec.ts';
import { ExposedNames } from './exposed-names.ts';
import { unwrapUri, wrapUri } from './wrapped-uri.ts';

test('what an upstream would have to call a part for a name is known only where names do not say whose they are', () => {
  const rename = { shop: { find: 'search' } };
  const bare = new ExposedNames({ style: 'bare', uris: 'as-is', rename }, ['shop']);
  const prefixed = new ExposedNames({ rename }, ['shop']);
  for (const kind of ['resource', 'template'] as const) {
    expect(bare.keysBehind('shop', kind, 'x:y')).toEqual(['x:y']);
    expect(prefixed.keysBehind('shop', kind, 'shop+x:y')).toEqual([]);
  }
  const behind = (names: ExposedNames) =>
    ['search', 'find', 'buy'].map((name) => names.keysBehind('shop', 'tool', name));
  expect(behind(bare)).toEqual([['find', 'search'], [], ['buy']]);
  expect(behind(prefixed)).toEqual([['find'], [], []]);
  expect(bare.keysBehind('other', 'tool', 'search')).toEqual(['search']);
});

const labels = ['a', 'b', 'ab', 'shop', 'shop-2', 'git', 'a-b', 'x'.repeat(24)];
/** Parts of names with which one upstream could imitate another. */
const pieces = [
  'a',
  'b',
  '_',
  '__',
  '-',
  '.',
  'shop',
  'find',
  'ab__',
  '+',
  '/',
  ' ',
  'ü',
  'x'.repeat(70),
  '2',
  'shop__find',
];

const textOf = (random: () => number): string =>
  Array.from({ length: 1 + Math.floor(random() * 4) }, () => pieces[Math.floor(random() * pieces.length)]).join('');

const tool = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });
const upstream = (label: string, items: readonly JsonObject[]): ListedUpstream => ({
  label,
  items,
  includes: () => true,
  screen: (part) => ({ part }),
});
const tableOf = (upstreams: readonly ListedUpstream[], spec: NameSpec = {}): PartTable =>
  buildTable('tools', upstreams, new ExposedNames(spec, labels));

test('ten thousand names of hostile upstreams stay within 64 characters, and no two parts have the same', () => {
  const random = dice(13);
  const owners = new Map<string, string>();
  const names = new ExposedNames({}, labels);
  for (let at = 0; at < 10_000; at++) {
    const label = labels[Math.floor(random() * labels.length)] ?? '';
    const key = textOf(random);
    const name = names.nameOf(label, 'tool', key);
    expect(name).toMatch(/^[A-Za-z_][\w-]{0,63}$/);
    const owner = `${label} ${key}`;
    expect(owners.get(name) ?? owner).toBe(owner);
    owners.set(name, owner);
    // An unknown name is looked up at its own upstream.
    expect(names.labelIn(name)).toBe(label);
  }
  expect(owners.size).toBeGreaterThan(3_000);
});

test('the names and URIs of an upstream are the same whatever other upstreams there are', () => {
  const random = dice(7);
  for (let at = 0; at < 300; at++) {
    const items = [...new Set(Array.from({ length: 5 }, () => textOf(random)))].map(tool);
    const others = labels.slice(1).map((label) => upstream(label, [tool(`other ${textOf(random)}`), ...items]));
    const alone = tableOf([upstream('a', items)]);
    const among = tableOf([upstream('a', items), ...others]);
    expect(among.parts.filter(({ label }) => label === 'a')).toEqual(alone.parts);
    expect(among.withheld).toEqual([]);
  }
});

test('with bare names, what two upstreams claim is withheld from both and reported, unless one is preferred or renamed', () => {
  const both = [upstream('a', [tool('find'), tool('mine')]), upstream('b', [tool('find')])];
  const bare = tableOf(both, { style: 'bare' });
  expect(bare.parts.map(({ name }) => name)).toEqual(['mine']);
  expect(bare.withheld).toEqual([
    { label: 'a', kind: 'tool', key: 'find', name: 'find', why: '"find" is also a name of b' },
    { label: 'b', kind: 'tool', key: 'find', name: 'find', why: '"find" is also a name of a' },
  ]);
  const preferred = tableOf(both, { style: 'bare', prefer: { find: 'b' } });
  expect(preferred.byName.get('find')).toMatchObject({ label: 'b', key: 'find' });
  expect(preferred.withheld).toHaveLength(1);
  const renamed = tableOf(both, { style: 'bare', rename: { a: { find: 'find_a' } } });
  expect(renamed.parts.map(({ name, label }) => [name, label])).toEqual([
    ['find_a', 'a'],
    ['mine', 'a'],
    ['find', 'b'],
  ]);
});

test('a bare name that an upstream without a list can have is withheld for now, with the reason', () => {
  const unknown: ListedUpstream = { ...upstream('b', []), mayClaim: (name) => name === 'find' };
  const { parts, withheld, hidden } = tableOf([upstream('a', [tool('find'), tool('mine')]), unknown], {
    style: 'bare',
  });
  expect([parts.map(({ key }) => key), hidden]).toEqual([['mine'], ['b']]);
  const why = '"find" can also be a name of b, whose list is not known now';
  expect(withheld).toEqual([{ label: 'a', kind: 'tool', key: 'find', name: 'find', why, isForNow: true }]);
});

test('only tools whose arguments are marked have headers, and a tool without a schema is listed', () => {
  const marked = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  const { parts, mirrored } = tableOf([
    upstream('a', [{ name: 'bare' }, tool('plain'), { name: 'marked', inputSchema: marked }]),
  ]);
  expect(parts.map(({ key }) => key)).toEqual(['bare', 'plain', 'marked']);
  expect([...mirrored.keys()]).toEqual(['a__marked']);
});

test('one name for two tools of one upstream is withheld with the reason', () => {
  const rename = { a: { find: 'search', look: 'search' } };
  const { parts, withheld } = tableOf([upstream('a', [tool('find'), tool('look')])], { rename });
  expect(parts).toEqual([]);
  expect(withheld.map(({ why }) => why)).toEqual(Array(2).fill('"search" is also a name of the same upstream'));
});

test('a name of a tool has up to 128 characters', () => {
  const [longest, longer] = ['x'.repeat(128), 'x'.repeat(129)];
  const { parts, withheld } = tableOf([upstream('a', [tool(longest), tool(longer)])], { style: 'bare' });
  expect([parts.map(({ key }) => key), withheld.map(({ key }) => key)]).toEqual([[longest], [longer]]);
});

test('a tool whose headers cannot be sent, and a name that tools cannot have, are withheld with the reason', () => {
  const marked = { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'Bad Name' } } };
  const { parts, withheld } = tableOf([upstream('a', [{ name: 'x', inputSchema: marked }, tool('ü')])], {
    style: 'bare',
  });
  expect(parts).toEqual([]);
  expect(withheld.map(({ why }) => why)).toEqual([
    expect.stringContaining('x-mcp-header'),
    expect.stringContaining('characters that names of tools cannot have'),
  ]);
});

test.each([
  ['file:///a', 'shop+file:///a'],
  ['git+https://host/x', 'shop+git+https://host/x'],
  ['urn:isbn:1', 'shop+urn:isbn:1'],
  ['ui://orders/list', 'ui://shop+orders/list'],
  ['x:ui://orders', 'shop+x:ui://orders'],
  ['note:{id}', 'shop+note:{id}'],
  ['{+any}', 'shop+{+any}'],
])('%s of the upstream shop is %s to callers, and back', (own, shown) => {
  expect(wrapUri('shop', own)).toBe(shown);
  expect(unwrapUri(shown, (label) => label === 'shop')).toEqual({ label: 'shop', uri: own });
  expect(unwrapUri(shown.replace('shop', 'SHOP'), (label) => label === 'shop')).toEqual({ label: 'shop', uri: own });
  if (isUri(own)) expect(isUri(shown)).toBe(true);
});

test('the scheme of a page is read in any case', () => {
  expect(unwrapUri('UI://shop+orders', (label) => label === 'shop')).toEqual({ label: 'shop', uri: 'ui://orders' });
});

test('a URI is taken apart only where the label of an upstream stands before its first plus sign', () => {
  const has = (label: string): boolean => labels.includes(label);
  for (const uri of ['file:///a+b', 'other+file:///a', '+file:///a', 'svn+git+https://x', 'ui://orders/a+b', 'shop'])
    expect(unwrapUri(uri, has)).toBeUndefined();
  for (const uri of ['+file:///a', 'file:///a', 'ui://+orders']) expect(unwrapUri(uri, () => true)).toBeUndefined();
  const random = dice(3);
  for (let at = 0; at < 2_000; at++) {
    const label = labels[Math.floor(random() * labels.length)] ?? '';
    const uri = `${['file:///', 'x:', 'ui://', 'git+ssh://'][Math.floor(random() * 4)]}${textOf(random)}`;
    expect(unwrapUri(wrapUri(label, uri), has)).toEqual({ label, uri });
  }
});

test('a rename is of one name of one upstream, and of no name that objects have anyway', () => {
  const names = new ExposedNames({ rename: { shop: { find: 'search' } } }, labels);
  expect(names.nameOf('shop', 'tool', 'find')).toBe('search');
  expect(names.nameOf('shop', 'tool', 'get')).toBe('shop__get');
  expect(names.nameOf('git', 'tool', 'find')).toBe('git__find');
  expect(names.nameOf('shop', 'tool', 'toString')).toMatch(/^shop__toString/);
  expect(names.nameOf('constructor', 'tool', 'name')).toBe('constructor__name');
  expect(names.preferred('toString')).toBeUndefined();
  expect(names.nameOf('shop', 'template', 'note:{id}')).toBe('shop+note:{id}');
});

test('URIs that are passed on as they are belong to no label, and their pages are not renamed', () => {
  const names = new ExposedNames({ uris: 'as-is' }, labels);
  expect(names.uriOf('shop', 'file:///a')).toBe('file:///a');
  expect(names.unwrap('shop+file:///a')).toBeUndefined();
  const meta = { ui: { resourceUri: 'ui://orders' } };
  expect(names.wrapPage('shop', meta)).toBe(meta);
});

test('a name that begins with no label is of no upstream', () => {
  const names = new ExposedNames({}, labels);
  expect(names.labelIn('git_find')).toBe('git');
  for (const name of ['bank_find', '_find', 'git', '', 'GIT_find']) expect(names.labelIn(name)).toBeUndefined();
});

test('the page of a tool gets its label in both spellings, and all else of its metadata stays', () => {
  const names = new ExposedNames({}, labels);
  expect(
    names.wrapPage('shop', { ui: { resourceUri: 'ui://orders', csp: {} }, 'ui/resourceUri': 'ui://old', other: 1 }),
  ).toEqual({ ui: { resourceUri: 'ui://shop+orders', csp: {} }, 'ui/resourceUri': 'ui://shop+old', other: 1 });
  for (const meta of [
    undefined,
    null,
    'text',
    { ui: null },
    { ui: { visibility: ['app'] } },
    { ui: { resourceUri: 7 } },
  ])
    expect(names.wrapPage('shop', meta)).toEqual(meta);
});
