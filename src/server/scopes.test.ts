/** Parts with scopes: the scopes that a request needs, which callers are rejected, and what lists show. */
import { describe, expect, test } from 'vitest';
import { everyRevision, open, type Raw, STATELESS } from '../../test/support/raw.ts';
import { verifies } from '../../test/support/verifies.ts';
import { request } from '../jsonrpc/message.ts';
import type { AuthInfo } from '../model/caller.ts';
import type { Part } from './part.ts';
import { prompt } from './prompt.ts';
import { resource } from './resource.ts';
import { createServer } from './server.ts';
import type { Server } from './server-interface.ts';
import { tool } from './tool.ts';

const ran: string[] = [];
const did = (what: string) => (): string => {
  ran.push(what);
  return what;
};
const suggests = { id: () => [did('suggested')()] };
const parts: readonly Part[] = [
  tool({ name: 'free', run: did('free') }),
  tool({ name: 'refund', scopes: ['orders:write', 'orders:read'], run: did('refund') }),
  resource({ uri: 'orders://all', scopes: ['orders:read'], read: did('all') }),
  resource({ uri: 'orders://{id}', scopes: ['orders:one'], complete: suggests, read: did('one') }),
  resource({ uri: 'help://x', read: did('help') }),
  prompt({ name: 'sum', scopes: ['sums'], render: did('sum') }),
];
const served = (more: object = {}): Server => createServer({ name: 'dock', version: '1', parts, ...more });
const allowed = (...scopes: string[]): AuthInfo => ({ issuer: 'i', subject: 'ada', scopes });

const argument = { name: 'id', value: '' };
const byPrompt = { ref: { type: 'ref/prompt', name: 'sum' }, argument };
const byResource = (uri: string): object => ({ ref: { type: 'ref/resource', uri }, argument });

describe('what a request needs', () => {
  test.each<[string, object, string[]]>([
    ['tools/call', { name: 'free' }, []],
    ['tools/call', { name: 'refund' }, ['orders:write', 'orders:read']],
    ['tools/call', { name: 'nothing' }, []],
    ['tools/call', { name: ['refund'] }, []],
    ['tools/call', {}, []],
    ['tools/list', {}, []],
    ['resources/read', { uri: 'orders://all' }, ['orders:read']],
    ['resources/read', { uri: 'orders://7' }, ['orders:one']],
    ['resources/read', { uri: 'help://x' }, []],
    ['resources/read', { uri: 7 }, []],
    ['resources/read', { uri: 'none://x' }, []],
    ['resources/subscribe', { uri: 'orders://7' }, ['orders:one']],
    ['resources/unsubscribe', { uri: 'orders://7' }, []],
    ['prompts/get', { name: 'sum' }, ['sums']],
    ['completion/complete', byPrompt, ['sums']],
    ['completion/complete', byResource('orders://{id}'), ['orders:one']],
    ['completion/complete', byResource('orders://7'), ['orders:one']],
    ['completion/complete', { ref: 'sum' }, []],
    ['completion/complete', {}, []],
    [
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['orders://all', 'orders://7', 'orders://8', 'help://x', 7] } },
      ['orders:read', 'orders:one'],
    ],
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }, []],
    ['subscriptions/listen', { notifications: { resourceSubscriptions: 'orders://all' } }, []],
    ['subscriptions/listen', {}, []],
    ['ping', {}, []],
  ])('%s %j needs %j', (method, params, needed) => {
    verifies('AUTH-067');
    expect(served().scopes(request(1, method, { ...params }))).toEqual(needed);
  });

  test.each(['tools/call', 'resources/read', 'completion/complete', 'subscriptions/listen'])(
    '%s without params needs nothing',
    (method) => {
      expect(served().scopes(request(1, method))).toEqual([]);
    },
  );

  test('of more subscriptions than a request can have, only so many are looked up', () => {
    const resourceSubscriptions = [...Array.from({ length: 100_000 }, () => 'help://x'), 'orders://all'];
    const listening = request(1, 'subscriptions/listen', { notifications: { resourceSubscriptions } });
    expect(served().scopes(listening)).toEqual([]);
  });

  test('changes with what is offered', () => {
    const server = createServer({ name: 'dock', version: '1', parts: [] });
    const call = request(1, 'tools/call', { name: 'late' });
    expect(server.scopes(call)).toEqual([]);
    server.add(tool({ name: 'late', scopes: ['late'], run: () => 'x' }));
    expect(server.scopes(call)).toEqual(['late']);
    server.remove('late');
    expect(server.scopes(call)).toEqual([]);
  });

  test.each(['', 'a b', 'a"', 'offline_access', 'orders:*'])('cannot be %j', (scope) => {
    verifies('AUTH-100', 'SEC-050');
    const scopes = [scope];
    expect(() => tool({ name: 't', scopes, run: () => 'x' })).toThrow(/scope|offline_access/);
    expect(() => resource({ uri: 'a:b', scopes, read: () => 'x' })).toThrow();
    expect(() => prompt({ name: 'p', scopes, render: () => 'x' })).toThrow();
  });
});

describe.each(everyRevision)('in %s', (revision) => {
  const raw = (auth: AuthInfo | undefined): Promise<Raw> =>
    open(served(), { revision, ...(auth === undefined ? {} : { auth }) });

  const guarded: [string, object, string[]][] = [
    ['tools/call', { name: 'refund' }, ['orders:write', 'orders:read']],
    ['resources/read', { uri: 'orders://all' }, ['orders:read']],
    ['resources/read', { uri: 'orders://7' }, ['orders:one']],
    ['prompts/get', { name: 'sum' }, ['sums']],
    ['completion/complete', byResource('orders://{id}'), ['orders:one']],
    ...(revision === STATELESS
      ? []
      : [['resources/subscribe', { uri: 'orders://7' }, ['orders:one']] as [string, object, string[]]]),
  ];

  test('a verified caller without the scopes is refused before anything runs', async () => {
    verifies('TOOL-51', 'RES-31', 'RES-33', 'COMP-15', 'CACHE-21', 'CACHE-22');
    const caller = await raw(allowed('other'));
    ran.length = 0;
    for (const [method, params, scopes] of guarded) {
      expect(await caller.error(method, { ...params })).toEqual({
        code: -32600,
        message: `Forbidden: the token lacks ${scopes.join(' ')}`,
      });
    }
    expect(ran).toEqual([]);
  });

  test('a caller with the scopes is served, and so is every caller where callers are not verified', async () => {
    verifies('TOOL-51', 'RES-31', 'COMP-15');
    for (const [method, params, scopes] of guarded) {
      await (await raw(allowed(...scopes))).result(method, { ...params });
      await (await raw(undefined)).result(method, { ...params });
    }
    expect(ran).toContain('suggested');
  });

  test('lists show everything, so that a client knows what to ask for', async () => {
    const caller = await raw(allowed());
    expect((await caller.result('tools/list'))['tools']).toHaveLength(2);
  });
});

test('ctx.read() rejects a resource whose scopes the caller lacks', async () => {
  verifies('RES-33', 'CACHE-21');
  const reader = tool({
    name: 'reader',
    run: async (_input, ctx) => JSON.stringify((await ctx.read('orders://all')).contents),
  });
  const server = createServer({ name: 'dock', version: '1', parts: [...parts, reader] });
  const call = async (auth: AuthInfo): Promise<unknown> =>
    (await open(server, { auth })).request('tools/call', { name: 'reader' });
  expect(await call(allowed())).toMatchObject({ error: { message: 'Forbidden: the token lacks orders:read' } });
  expect(JSON.stringify(await call(allowed('orders:read')))).toContain('orders://all');
});

describe('with hideUnauthorized', () => {
  const lists = { 'tools/list': 'tools', 'resources/list': 'resources', 'prompts/list': 'prompts' } as const;
  const names = async (raw: Raw): Promise<unknown[]> => {
    const all: unknown[] = [];
    for (const [method, kind] of Object.entries(lists)) {
      const items = (await raw.result(method))[kind] as readonly { name: string }[]; // a list of parts
      all.push(items.map(({ name }) => name));
    }
    return all;
  };
  const server = served({ hideUnauthorized: true, cache: { ttlMs: 1_000, cacheScope: 'public' } });

  test.each<[string[], unknown[]]>([
    [[], [['free'], ['help://x'], []]],
    [['orders:read'], [['free'], ['orders://all', 'help://x'], []]],
    [
      ['orders:read', 'orders:write', 'sums'],
      [['free', 'refund'], ['orders://all', 'help://x'], ['sum']],
    ],
  ])('a caller with %j sees %j', async (scopes, seen) => {
    verifies('TOOL-5', 'RES-5', 'PROMPT-4');
    expect(await names(await open(server, { auth: allowed(...scopes) }))).toEqual(seen);
  });

  test('a list for one caller is not cached for others', async () => {
    verifies('CACHE-22');
    const hints = async (auth?: AuthInfo): Promise<unknown> =>
      (await (await open(server, auth === undefined ? {} : { auth })).result('tools/list'))['cacheScope'];
    expect(await hints(allowed())).toBe('private');
    expect(await hints()).toBe('public');
  });

  test('pages hold as many as without', async () => {
    const many = Array.from({ length: 10 }, (_, n) =>
      tool({ name: `t${n}`, scopes: n % 2 === 0 ? ['even'] : ['odd'], run: () => 'x' }),
    );
    const paged = createServer({ name: 'dock', version: '1', parts: many, hideUnauthorized: true, pageSize: 3 });
    const raw = await open(paged, { auth: allowed('odd') });
    const first = await raw.result('tools/list');
    const second = await raw.result('tools/list', { cursor: first['nextCursor'] });
    expect(first['tools']).toMatchObject([{ name: 't1' }, { name: 't3' }, { name: 't5' }]);
    expect(second['tools']).toMatchObject([{ name: 't7' }, { name: 't9' }]);
    expect(second).not.toHaveProperty('nextCursor');
  });
});

test('data that a handler stores under ctx.principal cannot be accessed by other callers', async () => {
  verifies('SEC-029', 'SEC-031', 'TOOL-88');
  const carts = new Map<string, string[]>();
  const cart = tool({
    name: 'cart',
    run: (_input, ctx) => {
      // The same handle for all callers, as if it had been guessed or leaked.
      const key = JSON.stringify([ctx.principal, 'cart-1']);
      const items = carts.get(key) ?? [];
      carts.set(key, [...items, 'apple']);
      return String(items.length);
    },
  });
  const server = createServer({ name: 'dock', version: '1', parts: [cart] });
  const call = async (auth?: AuthInfo): Promise<unknown> =>
    (await open(server, auth === undefined ? {} : { auth })).result('tools/call', { name: 'cart' });
  const holds = (text: string): object => ({ content: [{ text }] });
  const ada = { issuer: 'i', subject: 'ada', clientId: 'c', scopes: [] };
  expect(await call(ada)).toMatchObject(holds('0'));
  expect(await call(ada)).toMatchObject(holds('1'));
  const others = [{ subject: 'eve' }, { issuer: 'j' }, { clientId: 'd' }, { subject: 'ada","c' }];
  for (const other of others) expect(await call({ ...ada, ...other })).toMatchObject(holds('0'));
  expect(await call()).toMatchObject(holds('0'));
});
