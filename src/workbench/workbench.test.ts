/** The verbs of the workbench over real HTTP, with in-process servers and with child processes. */
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { FakeServer } from '../../test/support/fake-server.ts';
import { freePort } from '../../test/support/free-port.ts';
import { textOf } from '../../test/support/source.ts';
import { openTestWorkbench, type TestPage } from '../../test/support/workbench.ts';
import { workbenchShop } from '../../test/support/workbench-shop.ts';
import { rules } from '../host/index.ts';
import { revisionIds } from '../revisions/index.ts';
import type { VerbParams } from './protocol.ts';
import type { OpenQuestion } from './protocol-questions.ts';

/** Waits for an open question of this kind. */
async function questionOf<K extends OpenQuestion['kind']>(
  page: TestPage,
  kind: K,
  server = 'shop',
): Promise<Extract<OpenQuestion, { kind: K }>> {
  const gone = (id: string): boolean =>
    page.events.some(({ name, params }) => name === 'question.gone' && params['id'] === id);
  const { params } = await page.heard(
    'question',
    ({ question }) => question.kind === kind && question.server === server && !gone(question.id),
  );
  return params.question as Extract<OpenQuestion, { kind: K }>;
}

const shop = () => openTestWorkbench({ servers: { shop: workbenchShop() } });

describe('a call', () => {
  test('a call returns the raw result and the decision, and its messages are in the timeline under its span', async () => {
    await using one = await shop();
    const hello = await one.page.rpc('hello', {});
    expect(hello.servers.map(({ label }) => label)).toEqual(['shop']);
    expect(hello.revisions).toEqual(revisionIds);
    const outcome = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'hi' }, ref: 'r1' });
    expect(outcome.result?.result['content']).toEqual([{ type: 'text', text: 'hi' }]);
    expect(outcome.decision).toMatchObject({ kind: 'tool', name: 'echo', allowed: true, phase: 'done' });
    const { rows } = await one.page.rpc('timeline.page', { filter: { method: 'tools/call' } });
    expect(rows.map(({ kind, span }) => [kind, span])).toEqual([
      ['request', outcome.span],
      ['response', outcome.span],
    ]);
    const detail = await one.page.rpc('timeline.message', { id: outcome.span ?? 0 });
    expect(detail).toMatchObject({ act: outcome.act, screen: 'tools', message: { method: 'tools/call' } });
  });

  test.each(revisionIds)(
    'is made in revision %s when that is chosen, and the timeline has its handshake',
    async (revision) => {
      await using one = await shop();
      const info = await one.page.rpc('servers.connect', { server: 'shop', revision });
      expect([info.stage, info.revision, info.chosen]).toEqual(['ready', revision, revision]);
      const { result } = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: revision } });
      expect(result?.result['content']).toEqual([{ type: 'text', text: revision }]);
      const { rows } = await one.page.rpc('timeline.page', {});
      const opening = rows
        .filter(({ method }) => method === 'initialize' || method === 'server/discover')
        .map(({ kind }) => kind);
      expect(opening).toContain('response');
    },
  );

  test.each(revisionIds)('a question of a tool is answered in the page, in revision %s', async (revision) => {
    await using one = await shop();
    await one.page.rpc('servers.connect', { server: 'shop', revision });
    const calling = one.page.rpc('call', { server: 'shop', tool: 'refund', arguments: { order: 'A-1' } });
    if (revision < '2025-06-18') {
      // These revisions cannot ask.
      expect((await calling).error ?? (await calling).result?.isError).toBeTruthy();
      return;
    }
    const question = await questionOf(one.page, 'form');
    expect(question.message).toBe('Refund order A-1?');
    const [name = ''] = Object.keys((question.requestedSchema['properties'] ?? {}) as object);
    const value = { kind: 'form', action: 'accept', content: { [name]: true } } as const;
    expect(await one.page.rpc('answer', { question: question.id, value })).toEqual({ taken: true });
    expect(await one.page.rpc('answer', { question: question.id, value })).toEqual({ taken: false });
    const { result, waitedMs, ms } = await calling;
    expect(result).toMatchObject({
      output: { state: 'valid' },
      result: { structuredContent: { order: 'A-1', amount: 12.5 } },
    });
    expect(waitedMs).toBeLessThanOrEqual(ms);
  });

  test('a page cancels a call by its id, and the server is notified', async () => {
    await using one = await shop();
    const calling = one.page.rpc('call', { server: 'shop', tool: 'wait', arguments: {}, ref: 'slow' });
    await one.page.heard('span', ({ spans }) => spans.some(({ subject }) => subject === 'wait'));
    expect(await one.page.rpc('cancel', { ref: 'slow' })).toEqual({ cancelled: true });
    expect((await calling).error?.code).toBe('MCP_CANCELLED');
    expect(await one.page.rpc('cancel', { ref: 'slow' })).toEqual({ cancelled: false });
  });

  test('a call that times out reports what was outstanding', async () => {
    await using one = await shop();
    const { error } = await one.page.rpc('call', { server: 'shop', tool: 'wait', arguments: {}, deadlineMs: 50 });
    expect(error?.code).toBe('MCP_TIMEOUT');
    expect(error?.outstanding?.join()).toContain('last message from the server: ');
  });

  test('a call that a rule denies names the rule', async () => {
    const policy = [rules.deny({ name: 'echo' }), rules.allow({})];
    await using one = await openTestWorkbench({ servers: { shop: workbenchShop() }, policy });
    const { error, decision } = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'x' } });
    expect(error?.code).toBe('MCP_DENIED');
    expect(decision).toMatchObject({ verdict: 'deny', ruleIndex: 0, rule: policy[0]?.text });
    const allowed = { verdict: 'allow', match: {} } as const;
    const rehearsed = await one.page.rpc('policy.rehearse', { rules: [allowed] });
    expect(rehearsed.changes).toEqual([expect.objectContaining({ from: 'deny', to: 'allow', count: 1 })]);
  });
});

describe('consent', () => {
  const asking = () =>
    openTestWorkbench({
      servers: { shop: workbenchShop() },
      policy: [rules.allow({ kind: ['spawn', 'connect'] }), rules.ask({ kind: 'tool' })],
    });

  test('consent is requested in every page, applies to what was shown, and closes in all pages after one answer', async () => {
    await using one = await asking();
    const other = (await one.open()).listen();
    const calling = one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'a' } });
    const question = await questionOf(one.page, 'consent');
    await other.heard('question', (one) => one.question.id === question.id);
    expect((await other.rpc('hello', {})).questions.map(({ id }) => id)).toEqual([question.id]);
    expect(question.act).toMatchObject({ kind: 'tool', name: 'echo', arguments: { text: 'a' } });
    const wrong = { question: question.id, binding: 'another', answer: { allow: true } };
    expect(await other.rpc('consent', wrong)).toEqual({ taken: false });
    expect(await other.rpc('consent', { ...wrong, binding: question.binding })).toEqual({ taken: true });
    await one.page.heard('question.gone', ({ id }) => id === question.id);
    expect((await calling).decision).toMatchObject({ allowed: true, consent: { allow: true } });
    other.close();
  });

  test('a remembered consent is listed, and is requested again after it was revoked', async () => {
    await using one = await asking();
    const call = () => one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'a' } });
    const first = call();
    const question = await questionOf(one.page, 'consent');
    const answer = { allow: true, remember: { for: 'any arguments', until: 'session' } } as const;
    await one.page.rpc('consent', { question: question.id, binding: question.binding, answer });
    await first;
    expect((await call()).decision?.approval).toBeDefined();
    const { approvals } = await one.page.rpc('policy.approvals', {});
    expect(approvals).toEqual([expect.objectContaining({ name: 'echo', anyArguments: true, until: 'session' })]);
    expect(await one.page.rpc('policy.revoke', { id: approvals[0]?.id ?? '' })).toEqual({ revoked: true });
    const again = call();
    const second = await questionOf(one.page, 'consent');
    await one.page.rpc('consent', { question: second.id, binding: second.binding, answer: { allow: false } });
    expect((await again).error?.code).toBe('MCP_DENIED');
  });

  test('a consent question closes when its call is cancelled', async () => {
    await using one = await asking();
    const calling = one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'a' }, ref: 'r' });
    const question = await questionOf(one.page, 'consent');
    await one.page.rpc('cancel', { ref: 'r' });
    await one.page.heard('question.gone', ({ id, why }) => id === question.id && why === 'cancelled');
    expect((await calling).error?.code).toBe('MCP_CANCELLED');
  });
});

describe('servers', () => {
  test('servers are listed with their configuration file, and listing starts none', async () => {
    const from = { file: '/home/ada/.cursor/mcp.json', line: 3, name: 'mail', workspaceFolder: '/', inputs: [] };
    const mail = { command: process.execPath, args: ['-e', 'process.exit(3)'], from };
    await using one = await openTestWorkbench({ servers: { mail }, connect: [] });
    await one.page.rpc('catalogue.list', { kind: 'tool' });
    const { servers } = await one.page.rpc('servers.list', {});
    expect(servers).toEqual([
      expect.objectContaining({
        label: 'mail',
        stage: 'idle',
        kind: 'command',
        origin: { file: from.file, line: 3, name: 'mail' },
      }),
    ]);
    expect((await one.page.rpc('policy.decisions', {})).total).toBe(0);
  });

  test('a server that fails to open has one sentence and the remedy of the doctor', async () => {
    const examine = async () => [
      { check: 'command', state: 'failed', found: 'no such command', fix: 'install it', fault: 'no-command' } as const,
    ];
    await using one = await openTestWorkbench({ servers: { maps: { command: 'no-such-command-here' } }, examine });
    const { params } = await one.page.heard(
      'server',
      (event) => 'server' in event && event.server.failure?.remedy !== undefined,
    );
    expect('server' in params && params.server).toMatchObject({
      stage: 'failed',
      failure: { sentence: 'no such command', remedy: 'install it', fault: 'no-command' },
    });
    expect((await one.page.rpc('servers.examine', { server: 'maps' })).findings).toEqual(await examine());
  });

  test('a crashed server shows its last log lines, its call has an unknown outcome, and it can be restarted', async () => {
    const code = `
      const lines = require('node:readline').createInterface({ input: process.stdin });
      const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
      lines.on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method === 'initialize') send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
        else if (method === 'tools/list') send(id, { tools: [{ name: 'crash', inputSchema: { type: 'object' } }] });
        else if (method === 'tools/call') { console.error('out of luck'); setTimeout(() => process.exit(9), 50); }
        else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
      });`;
    await using one = await openTestWorkbench({ servers: { x: { command: process.execPath, args: ['-e', code] } } });
    const { error } = await one.page.rpc('call', { server: 'x', tool: 'crash', arguments: {} });
    expect(error?.unknownOutcome).toBe(true);
    await one.page.heard('log', ({ lines }) => lines.join().includes('out of luck'));
    expect((await one.page.rpc('servers.restart', { server: 'x' })).stage).toBe('ready');
    expect((await one.page.rpc('servers.stop', { server: 'x' })).stage).toBe('stopped');
  });

  test('a server has a configuration entry to copy, without secrets', async () => {
    const servers = {
      mail: { command: 'mail', args: ['--token', 'abcdef-123456'], env: { API_KEY: 'secret-secret' } },
    };
    await using one = await openTestWorkbench({ servers, connect: [] });
    const { text } = await one.page.rpc('servers.config', { server: 'mail' });
    expect(JSON.parse(text)).toMatchObject({ mcpServers: { mail: { command: 'mail' } } });
    expect(text).not.toMatch(/abcdef-123456|secret-secret/);
  });
});

describe('what a server offers', () => {
  test('tools are listed with tokens that add up, and a budget selects those that a model would get', async () => {
    await using one = await shop();
    await one.page.rpc('servers.connect', { server: 'shop' });
    const { items, total } = await one.page.rpc('catalogue.list', { kind: 'tool' });
    expect(items.map(({ key }) => key)).toEqual(['echo', 'refund', 'wait']);
    expect(total).toBe(3);
    const { tools, total: tokens } = await one.page.rpc('catalogue.tokens', {});
    expect(tools.reduce((sum, one) => sum + one.tokens, 0)).toBe(tokens);
    for (const { parts, tokens: all } of tools) expect(parts.name + parts.description + parts.schema).toBe(all);
    const budget = 400;
    const expected = await one.bench.session.tools({ budgetTokens: budget });
    const offered = await one.page.rpc('catalogue.forModel', { budget });
    expect(offered.tools.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  });

  test('a tool shows a small embedded icon, and none that would be fetched or could contain scripts', async () => {
    const png =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const icons = {
      drawn: png,
      remote: 'https://evil.example/icon.png',
      scripted: 'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>',
      disguised: `data:image/png;base64,${btoa('<script>alert(1)</script>')}`,
    };
    const fake = new FakeServer({
      revision: '2026-07-28',
      on: {
        'tools/list': () => ({
          ...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
          tools: Object.entries(icons).map(([name, src]) => ({
            name,
            icons: [{ src }],
            inputSchema: { type: 'object' },
          })),
        }),
      },
    });
    await using one = await openTestWorkbench({ servers: { fake: fake.transport } });
    await one.page.rpc('servers.connect', { server: 'fake' });
    const { items } = await one.page.rpc('catalogue.list', { kind: 'tool' });
    expect(items.map(({ key, icon }) => [key, icon])).toEqual([
      ['disguised', undefined],
      ['drawn', png],
      ['remote', undefined],
      ['scripted', undefined],
    ]);
  });

  test('a list names the servers that are being opened, whose items are missing', async () => {
    let open = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => {
      open = resolve;
    });
    const fake = new FakeServer({ revision: '2025-11-25', capabilities: {} });
    const slow: FakeServer['transport'] = async (...given) => {
      await isOpen;
      return fake.transport(...given);
    };
    await using one = await openTestWorkbench({ servers: { slow }, connect: [] });
    const away = async (): Promise<readonly string[]> => {
      const { away: names, problems } = await one.page.rpc('catalogue.list', { kind: 'tool' });
      expect(problems).toEqual([]);
      return names;
    };
    expect(await away()).toEqual([]);
    const connecting = one.page.rpc('servers.connect', { server: 'slow' });
    await one.page.heard('server', (event) => 'server' in event && event.server.stage === 'connecting');
    expect(await away()).toEqual(['slow']);
    open();
    await connecting;
    expect(await away()).toEqual([]);
  });

  test('resources are read, prompts rendered and arguments completed', async () => {
    await using one = await shop();
    const read = await one.page.rpc('read', { server: 'shop', uri: 'shop://orders' });
    expect(read.result?.['contents']).toEqual([expect.objectContaining({ uri: 'shop://orders', text: 'A-1041' })]);
    const prompt = await one.page.rpc('prompt', { server: 'shop', prompt: 'letter', arguments: { order: 'A-1' } });
    expect(JSON.stringify(prompt.result?.['messages'])).toContain('Write about order A-1.');
  });

  test('definitions are compared with the lock, and an accepted change is in the audit log', async () => {
    await using one = await shop();
    await one.page.rpc('servers.connect', { server: 'shop' });
    const { items } = await one.page.rpc('lock.diff', {});
    const echo = items.find(({ name }) => name === 'shop.echo');
    expect(echo).toMatchObject({ kind: 'tool', status: 'new' });
    await one.page.rpc('lock.accept', { kind: 'tool', name: 'shop.echo', hash: echo?.hash ?? '' });
    const { items: after } = await one.page.rpc('lock.diff', {});
    expect(after.find(({ name }) => name === 'shop.echo')?.status).toBe('approved');
    const { decisions } = await one.page.rpc('policy.decisions', {});
    expect(decisions[0]).toMatchObject({ name: 'lock/accept', allowed: true });
    expect(await one.page.rpc('audit.verify', {})).toMatchObject({ ok: true });
  });
});

test('decisions are listed in pages, can be filtered, and an act selects the page that contains it', async () => {
  const policy = [rules.deny({ name: 'refund' }), rules.allow({})];
  await using one = await openTestWorkbench({ servers: { shop: workbenchShop() }, policy });
  const acts: (string | undefined)[] = [];
  for (const tool of ['echo', 'refund', 'echo', 'refund', 'echo'])
    acts.unshift((await one.page.rpc('call', { server: 'shop', tool, arguments: { text: 'a', order: 'A-1' } })).act);
  const list = async (params: VerbParams<'policy.decisions'>) => {
    const { decisions, ...place } = await one.page.rpc('policy.decisions', { limit: 2, ...params });
    return { acts: decisions.map(({ act }) => act), ...place };
  };
  const { total } = await list({});
  expect(await list({})).toEqual({ acts: acts.slice(0, 2), offset: 0, total });
  expect(await list({ offset: 2 })).toEqual({ acts: acts.slice(2, 4), offset: 2, total });
  expect(await list({ act: acts[3] ?? '' })).toEqual({ acts: acts.slice(2, 4), offset: 2, total });
  expect(await list({ only: 'denied' })).toEqual({ acts: [acts[1], acts[3]], offset: 0, total: 2 });
  expect(await list({ only: 'asked' })).toEqual({ acts: [], offset: 0, total: 0 });
  // The linked decision is included even if the filter excludes it.
  expect(await list({ only: 'denied', act: acts[2] ?? '' })).toMatchObject({ acts: [acts[1], acts[2]], total: 3 });
});

test('latency by tool agrees with the spans of the timeline, and names the slowest call', async () => {
  await using one = await shop();
  for (const text of ['a', 'b', 'c']) await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text } });
  const { rows } = await one.page.rpc('timeline.stats', { by: 'tool' });
  const { spans } = await one.page.rpc('timeline.spans', {});
  const calls = spans
    .filter(({ method }) => method === 'tools/call')
    .map(({ from, to = 0, id }) => ({ ms: to - from, id }));
  const [row] = rows;
  expect(row).toMatchObject({ key: 'shop.echo', count: 3, errors: 0, max: Math.max(...calls.map(({ ms }) => ms)) });
  expect(calls.find(({ id }) => id === row?.slowest)?.ms).toBe(row?.max);
  expect(row?.histogram.reduce((sum, { count }) => sum + count, 0)).toBe(3);
});

describe('the verbs', () => {
  test('verbs validate their params, and an unknown verb returns -32601', async () => {
    await using one = await shop();
    expect((await one.page.ask('no.such.verb')).error?.code).toBe(-32601);
    expect((await one.page.ask('call', { server: 'shop' })).error).toMatchObject({ code: -32602 });
    expect((await one.page.ask('servers.connect', { server: 'shop', revision: 'never' })).error).toMatchObject({
      code: -32602,
    });
    expect((await one.page.ask('servers.stop', { server: 'none' })).error?.message).toContain('unknown server');
  });

  test('all verbs of the protocol are implemented', async () => {
    await using one = await shop();
    const protocol = ['protocol.ts', 'protocol-timeline.ts'].map((file) => textOf(`src/workbench/${file}`)).join('\n');
    const verbs = [...protocol.matchAll(/^ {2}'?([\w.]+)'?: Verb</gm)].map(([, name = '']) => name);
    expect(verbs.length).toBeGreaterThan(60);
    for (const verb of verbs)
      expect((await one.page.ask(verb, { impossible: true, server: 5 })).error?.code).not.toBe(-32601);
  });

  test('a result over the message limit is returned by reference', async () => {
    await using one = await shop();
    const text = 'x'.repeat(3 * 1024 * 1024);
    const { result } = await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text } });
    expect(JSON.stringify(result?.result['content'])).toContain(text);
  });
});

test('a page that reconnects gets the events that it missed, and one with an id of another process gets "reload"', async () => {
  await using one = await shop();
  const { lastEvent } = await one.page.rpc('hello', {});
  await one.page.rpc('call', { server: 'shop', tool: 'echo', arguments: { text: 'missed' } });
  const back = (await one.open()).listen(lastEvent);
  await back.heard('decision', ({ decision }) => decision.name === 'echo');
  const ids = back.events.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  const lost = (await one.open()).listen(1_000_000);
  await lost.heard('reload');
  back.close();
  lost.close();
});

test('pages get the event "end" when the workbench closes', async () => {
  const one = await shop();
  const other = (await one.open()).listen();
  await other.rpc('hello', {});
  await one[Symbol.asyncDispose]();
  await other.heard('end');
});

test('a workbench that cannot open a recording rejects, and frees its port', async () => {
  const port = await freePort();
  await expect(openTestWorkbench({ port, open: 'missing.ndjson' })).rejects.toThrow('does not exist');
  await using one = await openTestWorkbench({ port });
  expect(one.origin).toBe(`http://127.0.0.1:${port}`);
});

test('a workbench whose audit log cannot be closed frees its port all the same', async () => {
  const port = await freePort();
  const audit = {
    path: 'audit.ndjson',
    write: async () => undefined,
    read: async () => [],
    verify: async () => ({ ok: true, records: 0 }),
    close: () => Promise.reject(new Error('the disk is full')),
  };
  const one = await openTestWorkbench({ port, audit });
  await expect(one[Symbol.asyncDispose]()).rejects.toThrow('the disk is full');
  await using again = await openTestWorkbench({ port });
  expect(again.origin).toBe(`http://127.0.0.1:${port}`);
});

test('closing a workbench disables its AsyncLocalStorage', async () => {
  const one = await shop();
  await one.bench.refs.run('a page', async () => {
    await one[Symbol.asyncDispose]();
    expect(one.bench.refs.getStore()).toBeUndefined();
  });
});
