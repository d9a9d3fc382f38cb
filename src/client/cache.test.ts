import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { Change } from '../model/change.ts';
import { type CacheView, SharedCache, staleAfter } from './cache.ts';

const hints = { ttlMs: 100, cacheScope: 'private' } as const;
const put = (view: CacheView, method: string, params: object, more: object = {}): void =>
  view.put({ method, params, value: `${method} ${JSON.stringify(params)}`, result: {}, hints, now: 0, ...more });

test('the cache returns a result until its ttlMs has passed since it arrived', () => {
  verifies('CACHE-7', 'CACHE-9');
  const view = new SharedCache().open();
  put(view, 'tools/list', {}, { now: 50 });
  expect(view.get('tools/list', {}, 149)?.value).toBe('tools/list {}');
  expect(view.get('tools/list', {}, 150)).toBeUndefined();
});

test('the cache does not store a result with a ttlMs of 0', () => {
  verifies('CACHE-6', 'CACHE-8');
  const view = new SharedCache().open();
  put(view, 'tools/list', {}, { hints: { ttlMs: 0, cacheScope: 'public' } });
  expect(view.get('tools/list', {}, 0)).toBeUndefined();
});

test('a result that must not be cached evicts no other', () => {
  const view = new SharedCache({ maxEntries: 1 }).open();
  put(view, 'tools/list', {});
  for (const ttlMs of [0, -1]) put(view, 'prompts/list', {}, { hints: { ttlMs, cacheScope: 'private' } });
  expect(view.get('tools/list', {}, 0)).toBeDefined();
});

test('the cache key is the method and the params, independent of the order of keys', () => {
  verifies('CACHE-4');
  const view = new SharedCache().open();
  put(view, 'resources/read', { uri: 'a:b', x: 1 });
  expect(view.get('resources/read', { x: 1, uri: 'a:b' }, 0)).toBeDefined();
  expect(view.get('resources/read', { uri: 'a:c', x: 1 }, 0)).toBeUndefined();
  expect(view.get('resources/list', { uri: 'a:b', x: 1 }, 0)).toBeUndefined();
  expect(view.get('tools/list', { cursor: '' }, 0)).toBeUndefined();
});

test('the cache returns a private result only to the client that received it', () => {
  verifies('CACHE-13');
  const cache = new SharedCache();
  const [ada, bob] = [cache.open('shop'), cache.open('shop')];
  put(ada, 'tools/list', {});
  expect(ada.get('tools/list', {}, 0)).toBeDefined();
  expect(bob.get('tools/list', {}, 0)).toBeUndefined();
});

test('public results are shared by clients of the same origin only', () => {
  verifies('CACHE-14');
  const cache = new SharedCache();
  const [ada, bob, other, alone] = [cache.open('shop'), cache.open('shop'), cache.open('bank'), cache.open()];
  put(ada, 'tools/list', {}, { hints: { ttlMs: 100, cacheScope: 'public' } });
  expect(bob.get('tools/list', {}, 0)).toBeDefined();
  expect(other.get('tools/list', {}, 0)).toBeUndefined();
  expect(alone.get('tools/list', {}, 0)).toBeUndefined();
});

test.each<[Change, string[]]>([
  [{ kind: 'tools' }, ['prompts/list', 'resources/list', 'resources/templates/list', 'resources/read']],
  [{ kind: 'prompts' }, ['tools/list', 'resources/list', 'resources/templates/list', 'resources/read']],
  [{ kind: 'resources' }, ['tools/list', 'prompts/list', 'resources/read']],
  [{ kind: 'resource', uri: 'a:b/c' }, ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']],
  [{ kind: 'resource', uri: 'a:b/c/d' }, ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']],
])('the change %o evicts the entries that it affects, and keeps %j', (news, left) => {
  verifies('CACHE-15', 'RES-12');
  const view = new SharedCache().open();
  const methods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'];
  const paramsOf = (method: string): object => (method === 'resources/read' ? { uri: 'a:b/c' } : {});
  for (const method of methods) put(view, method, paramsOf(method));
  view.forget(staleAfter(news));
  expect(methods.filter((method) => view.get(method, paramsOf(method), 0) !== undefined)).toEqual(left);
});

test('a private result names the credentials that it was issued to, and a public one none', () => {
  const view = new SharedCache().open('shop');
  put(view, 'tools/list', {}, { credentials: 7 });
  put(view, 'prompts/list', {}, { credentials: 7, hints: { ttlMs: 100, cacheScope: 'public' } });
  expect(view.get('tools/list', {}, 0)?.credentials).toBe(7);
  expect(view.get('prompts/list', {}, 0)?.credentials).toBeUndefined();
});

test('forgotten() counts the calls of forget() by every client of the cache', () => {
  const cache = new SharedCache();
  const [ada, bob] = [cache.open('shop'), cache.open('shop')];
  const before = ada.forgotten();
  bob.forget(() => false);
  expect([ada.forgotten(), bob.forgotten()]).toEqual([before + 1, before + 1]);
});

test('forget() of one view keeps the entries of other clients', () => {
  const cache = new SharedCache();
  const [ada, bob] = [cache.open('shop'), cache.open('bank')];
  put(ada, 'tools/list', {});
  put(bob, 'tools/list', {});
  ada.forget(() => true);
  expect(bob.get('tools/list', {}, 0)).toBeDefined();
});

test('the cache evicts its oldest entries at maxEntries', () => {
  const view = new SharedCache({ maxEntries: 2 }).open();
  for (const uri of ['a', 'b', 'c']) put(view, 'resources/read', { uri });
  expect(['a', 'b', 'c'].filter((uri) => view.get('resources/read', { uri }, 0) !== undefined)).toEqual(['b', 'c']);
});

test('the oldest results are evicted beyond 64 Mi characters, whatever they count', () => {
  const view = new SharedCache().open();
  const result = 'x'.repeat(15 * 1024 * 1024);
  const uris = ['a', 'b', 'c', 'd', 'e'];
  const held = (): string[] => uris.filter((uri) => view.get('resources/read', { uri }, 0) !== undefined);
  for (const uri of uris) put(view, 'resources/read', { uri }, { result });
  expect(held()).toEqual(['b', 'c', 'd', 'e']);
  for (let times = 0; times < 5; times++) put(view, 'resources/read', { uri: 'b' }, { result });
  expect(held()).toEqual(['b', 'c', 'd', 'e']);
  view.forget(({ uri }) => uri !== 'b');
  for (const uri of ['c', 'd', 'e']) put(view, 'resources/read', { uri }, { result });
  expect(held()).toEqual(['b', 'c', 'd', 'e']);
});
