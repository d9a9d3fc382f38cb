/** Actions that overlap in time, because two tabs, a double click or a slow server make them. */
import { expect, test, vi } from 'vitest';
import { authorizationServer, mcp } from '../../test/support/attacked.ts';
import { eventually } from '../../test/support/children.ts';
import { FakeServer } from '../../test/support/fake-server.ts';
import { asks, handle } from '../../test/support/fake-tasks.ts';
import { entryOf, SkillHarbour, skillMd } from '../../test/support/skill-harbour.ts';
import { soon } from '../../test/support/soon.ts';
import { openTestWorkbench } from '../../test/support/workbench.ts';
import { workbenchShop } from '../../test/support/workbench-shop.ts';
import { Deferred } from '../peer/wait.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { MAX_PAGE_MESSAGE } from './event-feed.ts';
import type { VerbResult } from './protocol.ts';

const fresh = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } as const;

test('a resource that two tabs watch at once is watched once, and not at all if watching ends before its server is open', async () => {
  const isOpen = new Deferred<void>();
  const fake = new FakeServer({
    revision: '2025-11-25',
    capabilities: { resources: { subscribe: true } },
    on: { 'resources/read': () => ({ contents: [{ uri: 'a:b', text: 'x' }] }), 'resources/subscribe': () => ({}) },
  });
  const slow: FakeServer['transport'] = async (...given) => {
    await isOpen.promise;
    return fake.transport(...given);
  };
  await using one = await openTestWorkbench({ servers: { slow }, connect: [] });
  const watch = (uri: string, on: boolean) => one.page.rpc('watch', { server: 'slow', uri, on });
  const watching = [watch('a:b', true), watch('a:b', true), watch('a:c', true)];
  await soon(async () => expect((await one.page.rpc('watch.changes', {})).watched).toHaveLength(2));
  expect((await watch('a:c', false)).watched).toEqual([{ server: 'slow', uri: 'a:b' }]);
  isOpen.resolve();
  await Promise.all(watching);
  await eventually('the subscription', () => fake.methods.includes('resources/subscribe'));
  expect(fake.params('resources/read')).toMatchObject([{ uri: 'a:b' }]);
  expect(fake.params('resources/subscribe')).toMatchObject([{ uri: 'a:b' }]);
});

test.each(['call', 'read', 'prompt'] as const)(
  'a %s that is cancelled while its server is opened ends at once',
  async (verb) => {
    const isOpen = new Deferred<void>();
    const fake = new FakeServer({ revision: '2025-11-25', capabilities: { tools: {}, resources: {}, prompts: {} } });
    const slow: FakeServer['transport'] = async (...given) => {
      await isOpen.promise;
      return fake.transport(...given);
    };
    await using one = await openTestWorkbench({ servers: { slow }, connect: [] });
    const act = { server: 'slow', ref: 'a', arguments: {}, tool: 'echo', uri: 'a:b', prompt: 'letter' };
    const running = one.page.rpc(verb, act);
    await soon(async () => expect(one.bench.servers.opening()).toEqual(['slow']));
    await one.page.rpc('cancel', { ref: 'a' });
    expect((await running).error).toMatchObject({ code: 'MCP_CANCELLED' });
    isOpen.resolve();
    await soon(async () => expect(one.bench.servers.info('slow').stage).toBe('ready'));
    expect(fake.methods).not.toContain({ call: 'tools/call', read: 'resources/read', prompt: 'prompts/get' }[verb]);
  },
);

test.each(['call', 'prompt'] as const)(
  'a %s that is cancelled while another server is opened ends at once',
  async (verb) => {
    const isOpen = new Deferred<void>();
    const slow: FakeServer['transport'] = async (...given) => {
      await isOpen.promise;
      return new FakeServer({ revision: '2025-11-25' }).transport(...given);
    };
    // Lists wait five seconds for the slow server; these never pass.
    await using one = await openTestWorkbench({ servers: { slow, shop: workbenchShop() }, clock: virtualClock() });
    await soon(async () => expect(one.bench.servers.info('shop').stage).toBe('ready'));
    const running = one.page.rpc(verb, { server: 'shop', ref: 'a', arguments: {}, tool: 'wait', prompt: 'missing' });
    await soon(async () => expect((await one.page.rpc('cancel', { ref: 'a' })).cancelled).toBe(true));
    expect((await running).error).toMatchObject({ code: 'MCP_CANCELLED' });
    isOpen.resolve();
  },
);

test('a resource is not watched if its server cannot be opened', async () => {
  await using one = await openTestWorkbench({ servers: { broken: () => Promise.reject(new Error('on fire')) } });
  const { error } = await one.page.ask('watch', { server: 'broken', uri: 'a:b', on: true });
  expect(error?.message).toContain('on fire');
  expect((await one.page.rpc('watch.changes', {})).watched).toEqual([]);
});

test('a view that is closed while it is read is not served, and its tool is not called', async () => {
  const read = new Deferred<void>();
  const fake = new FakeServer({
    revision: '2026-07-28',
    on: {
      'tools/list': () => ({
        ...fresh,
        tools: [{ name: 'orders', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://x/y' } } }],
      }),
      'resources/read': async () => {
        await read.promise;
        return { ...fresh, contents: [{ uri: 'ui://x/y', mimeType: 'text/html;profile=mcp-app', text: '<p>' }] };
      },
      'tools/call': () => ({ ...fresh, content: [] }),
    },
  });
  await using one = await openTestWorkbench({ servers: { x: fake.transport } });
  const opening = one.page.rpc('app.open', { server: 'x', tool: 'orders' });
  await eventually('the view to be read', () => fake.methods.includes('resources/read'));
  const [view] = (await one.page.rpc('app.list', {})).views;
  await one.page.rpc('app.close', { view: view?.view ?? '' });
  read.resolve();
  expect((await opening).frame).toBeUndefined();
  expect(fake.methods).not.toContain('tools/call');
  expect((await one.page.rpc('app.list', {})).views).toEqual([]);
});

test('a message to a view that is too large for an event is sent by reference', async () => {
  const text = 'x'.repeat(MAX_PAGE_MESSAGE);
  const fake = new FakeServer({
    revision: '2026-07-28',
    on: {
      'tools/list': () => ({
        ...fresh,
        tools: [{ name: 'orders', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://x/y' } } }],
      }),
      'resources/read': () => ({
        ...fresh,
        contents: [{ uri: 'ui://x/y', mimeType: 'text/html;profile=mcp-app', text: '<p>' }],
      }),
      'tools/call': () => ({ ...fresh, content: [{ type: 'text', text }] }),
    },
  });
  await using one = await openTestWorkbench({ servers: { x: fake.transport } });
  const { view } = await one.page.rpc('app.open', { server: 'x', tool: 'orders' });
  const say = (message: object) => one.page.rpc('app.message', { view, message: { jsonrpc: '2.0', ...message } });
  const params = { protocolVersion: '2026-01-26', appInfo: { name: 'v', version: '1' }, appCapabilities: {} };
  await say({ id: 1, method: 'ui/initialize', params });
  await say({ method: 'ui/notifications/initialized' });
  const { message } = (await one.page.heard('view.message', (event) => 'blob' in event.message)).params;
  const response = await fetch(`${one.origin}/blob/${String(message['blob'])}`, { headers: one.page.headers });
  expect(await response.json()).toMatchObject({
    method: 'ui/notifications/tool-result',
    params: { content: [{ type: 'text', text }] },
  });
});

test('a task that two tabs attach at once is followed once, and again only after it was detached', async () => {
  const server = new FakeServer({
    revision: '2026-07-28',
    on: {
      'tools/list': () => ({ ...fresh, tools: [{ name: 'render', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ resultType: 'task', ...handle({ pollIntervalMs: 250 }) }),
      'tasks/get': () => asks('a'),
    },
  });
  await using one = await openTestWorkbench({ servers: { studio: server.transport } });
  const { result } = await one.page.rpc('call', { server: 'studio', tool: 'render', arguments: {}, task: true });
  const ticket = result?.ticket ?? '';
  const resume = vi.spyOn(one.bench.host, 'resume');
  const attach = () => one.page.rpc('tasks.attach', { ticket });
  expect(await attach()).toMatchObject({ ticket, attached: true });
  expect(resume).not.toHaveBeenCalled();
  await one.page.rpc('tasks.detach', { ticket });
  expect(await Promise.all([attach(), attach()])).toMatchObject([{ attached: true }, { attached: true }]);
  expect(resume).toHaveBeenCalledTimes(1);
});

test('a comparison runs alone, and restores the chosen revision when it fails', async () => {
  await using one = await openTestWorkbench({ servers: { shop: workbenchShop() } });
  await one.page.rpc('servers.connect', { server: 'shop', revision: '2025-11-25' });
  const revision = (id: string) => ({ server: 'shop', revision: id });
  const compare = (name: string) =>
    one.page.ask('compare', {
      call: { tool: name, arguments: {} },
      ...{ left: revision('2025-06-18'), right: revision('2026-07-28') },
    });
  const first = compare('wait');
  await one.page.heard('span', ({ spans }) => spans.some(({ subject, to }) => subject === 'wait' && to === undefined));
  expect((await compare('echo')).error?.message).toContain('another one is running');
  vi.spyOn(one.bench.acts, 'run').mockRejectedValue(new Error('too many'));
  await one.page.rpc('servers.stop', { server: 'shop' });
  expect((await first).error?.message).toContain('too many');
  const [shop] = (await one.page.rpc('servers.list', {})).servers;
  expect([shop?.stage, shop?.chosen, shop?.revision]).toEqual(['ready', '2025-11-25', '2025-11-25']);
});

test('a recording that one page opens, or closes, is open or closed in all of them', async () => {
  await using one = await openTestWorkbench({ servers: { shop: workbenchShop() } });
  await one.page.rpc('servers.connect', { server: 'shop' });
  const other = (await one.open()).listen();
  await other.rpc('hello', {});
  const opened = await one.page.rpc('travel.open', { server: 'shop' });
  expect((await other.heard('travelling')).params).toEqual({ recording: opened });
  await one.page.rpc('travel.close', {});
  await other.heard('travelling', ({ recording }) => recording === undefined);
  other.close();
});

test('a skill is released when its verification fails', async () => {
  const harbour = new SkillHarbour();
  const files = { 'SKILL.md': skillMd('refunds') };
  const entry = entryOf('skill://shop/refunds', files);
  harbour.entries.set(entry.uri, entry);
  harbour.files.set('skill://shop/refunds/SKILL.md', files['SKILL.md']);
  await using one = await openTestWorkbench({ servers: { shop: harbour.server.transport } });
  const load = vi.spyOn(one.bench.session, 'skill');
  const list = vi.spyOn(one.bench.session, 'skills').mockRejectedValue(new Error('on fire'));
  expect((await one.page.ask('skills.verify', { server: 'shop', uri: entry.uri })).error?.message).toBe('on fire');
  const skill = await load.mock.results[0]?.value;
  await expect(skill.read('SKILL.md')).rejects.toThrow('released');
  list.mockRestore();
});

test('lists that change a hundred times at once are reported once, however often their server was connected', async () => {
  const fake = new FakeServer({ revision: '2025-11-25', capabilities: { tools: { listChanged: true } } });
  await using one = await openTestWorkbench({ servers: { fake: fake.transport } });
  for (let at = 0; at < 3; at++) await one.page.rpc('servers.connect', { server: 'fake' });
  for (let at = 0; at < 100; at++) fake.line.notify('notifications/tools/list_changed');
  await one.page.heard('catalogue');
  await one.page.rpc('hello', {});
  expect(one.page.events.filter(({ name }) => name === 'catalogue')).toHaveLength(1);
});

test('of many reports of one kind, a page gets the newest of each call or server, in a batch', async () => {
  await using one = await openTestWorkbench();
  for (let progress = 1; progress <= 1_000; progress++)
    for (const ref of ['a', 'b']) one.bench.queueNewest(ref, 'progress', { ref, progress });
  for (const ref of ['a', 'b']) await one.page.heard('progress', (report) => report.ref === ref);
  const reports = one.page.events.filter(({ name }) => name === 'progress').map(({ params }) => params);
  expect(reports).toEqual([
    { ref: 'a', progress: 1_000 },
    { ref: 'b', progress: 1_000 },
  ]);
});

test('two servers with one URL share their sign-in and its steps', async () => {
  await using as = await authorizationServer();
  await using server = await mcp(() => ({ issuers: [as.origin] }));
  const url = `${server.origin}/mcp`;
  await using one = await openTestWorkbench({ servers: { notes: url, same: url }, connect: ['notes'] });
  const { question } = (await one.page.heard('question', (event) => event.question.kind === 'visit')).params;
  if (question.kind !== 'visit') throw new Error('a page was to be opened');
  void fetch(question.url).catch(() => undefined);
  await one.page.heard('server', ({ server: { label, stage } }) => label === 'notes' && stage === 'ready');
  for (const label of ['notes', 'same']) {
    const { supported, signedIn, steps } = await one.page.rpc('signIn.steps', { server: label });
    expect([label, supported, signedIn, steps.length > 4]).toEqual([label, true, true, true]);
    await one.page.heard('signIn', (event) => event.server === label);
  }
});

test('definitions are linted again only when one of them, or what a tool returned, has changed', async () => {
  let structuredContent: object | undefined = { a: 1 };
  const tools = Array.from({ length: 450 }, (_, at) => ({ name: `t${at}`, inputSchema: { type: 'object' } }));
  const fake = new FakeServer({
    revision: '2025-11-25',
    on: {
      'tools/list': () => ({ tools }),
      'tools/call': () => ({ content: [], ...(structuredContent && { structuredContent }) }),
    },
  });
  const withoutData: (readonly string[])[] = [];
  await using one = await openTestWorkbench({
    servers: { fake: fake.transport },
    lint(subject) {
      withoutData.push(subject.withoutData);
      return [{ rule: 'vague', severity: 'warning', item: 'tool t449', found: 'vague', fix: 'Say more' }];
    },
  });
  await one.page.rpc('servers.connect', { server: 'fake' });
  /** All names of all pages, and those with a finding. */
  const pages = async (): Promise<readonly [names: number, found: readonly string[]]> => {
    const rows: { name: string; findings: number }[] = [];
    let cursor: string | undefined = '0';
    while (cursor !== undefined) {
      const page: VerbResult<'catalogue.list'> = await one.page.rpc('catalogue.list', { kind: 'tool', cursor });
      rows.push(...page.items);
      cursor = page.next;
    }
    return [
      new Set(rows.map(({ name }) => name)).size,
      rows.flatMap(({ name, findings }) => (findings === 1 ? [name] : [])),
    ];
  };
  expect(await pages()).toEqual([450, ['fake.t449']]);
  const call = () => one.page.rpc('call', { server: 'fake', tool: 't0', arguments: {} });
  await call();
  await pages();
  expect(withoutData).toEqual([[]]);
  structuredContent = undefined;
  await call();
  await pages();
  structuredContent = { a: 1 };
  await call();
  await pages();
  expect(withoutData).toEqual([[], ['t0'], []]);
});

test('pages are told how many messages a full timeline drops, and calls still have results', async () => {
  await using one = await openTestWorkbench({ servers: { shop: workbenchShop() } });
  const echo = () => one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'hi' } });
  await echo();
  expect((await one.page.rpc('hello', {})).dropped).toBe(0);
  vi.spyOn(one.bench.history, 'size', 'get').mockReturnValue(1_000_000);
  expect((await echo()).result?.result).toMatchObject({ content: [{ type: 'text', text: 'hi' }] });
  await one.page.heard('message', ({ dropped }) => dropped === 2);
  await echo();
  await one.page.heard('message', ({ rows, dropped }) => rows.length === 0 && dropped === 4);
  expect((await one.page.rpc('hello', {})).dropped).toBe(4);
});
