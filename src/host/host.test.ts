import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { FakeServer, silence } from '../../test/support/fake-server.ts';
import { HeldClock, settled } from '../../test/support/held-clock.ts';
import { verifies } from '../../test/support/verifies.ts';
import { RpcError } from '../errors.ts';
import type { Rule } from './act/rule.ts';
import type { AuditRecord } from './audit/audit.ts';
import { memoryAudit } from './audit/memory-audit.ts';
import type { ConsentAnswer, ConsentQuestion } from './consent/consent.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host.ts';
import { scriptedModel } from './models/scripted.ts';
import { rules } from './policy/rules.ts';
import type { HostedServer } from './servers/managed-server.ts';

const tools = [
  { name: 'refund', inputSchema: { type: 'object' }, annotations: { destructiveHint: true } },
  { name: 'orders', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
];

const shop = (revision = '2025-06-18'): FakeServer =>
  new FakeServer({
    revision,
    on: {
      'tools/list': () => ({ tools }),
      'tools/call': ({ name, arguments: args }) => ({
        content: [{ type: 'text', text: JSON.stringify([name, args]) }],
      }),
      'prompts/list': () => ({ prompts: [{ name: 'sum', arguments: [{ name: 'id' }] }] }),
      'prompts/get': ({ arguments: args }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(args) } }],
      }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, text: 'contents' }] }),
      'completion/complete': () => ({ completion: { values: ['one'] } }),
    },
  });

const given = (fake: FakeServer, options: Partial<HostOptions> = {}): HostOptions => ({
  servers: { shop: fake.transport },
  policy: [
    rules.allow({ kind: ['connect', 'spawn'] }),
    rules.trustAnnotationsOf('shop'),
    rules.allow({ effects: 'read' }),
  ],
  health: false,
  ...options,
});

/** Answers every question in this way, and records it. */
function person(answer: (question: ConsentQuestion) => ConsentAnswer | Promise<ConsentAnswer>): {
  readonly asked: ConsentQuestion[];
  readonly consent: (question: ConsentQuestion) => ConsentAnswer | Promise<ConsentAnswer>;
} {
  const asked: ConsentQuestion[] = [];
  return {
    asked,
    consent: (question) => {
      asked.push(question);
      return answer(question);
    },
  };
}

describe('a session', () => {
  test('a session calls, reads, renders and completes through the gate, in the name of its user', async () => {
    verifies('HOST-3', 'HOST-4');
    const fake = shop();
    const audit = memoryAudit();
    await using host = createHost(given(fake, { audit, policy: [rules.allow({})] }));
    await using session = host.session({ principal: 'ada' });
    expect((await session.call('shop.refund', { order: 'A-1' })).text).toBe('["refund",{"order":"A-1"}]');
    expect((await session.prompt('shop.sum', { id: '7' })).messages[0]?.content).toMatchObject({ text: '{"id":"7"}' });
    expect((await session.read('shop', 'shop://hours')).text).toBe('contents');
    const ref = { type: 'ref/prompt', name: 'sum' } as const;
    const argument = { name: 'id', value: '' };
    expect((await session.complete('shop', ref, { argument, context: { other: 'x' } })).values).toEqual(['one']);
    const done = audit.records.filter(({ phase }) => phase === 'done').map(({ act }) => act);
    expect(done.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'connect a transport of your own',
      'tool refund',
      'prompt sum',
      'resource shop://hours',
      'completion sum',
    ]);
    expect(done.map(({ principal }) => principal)).toEqual(['', 'ada', 'ada', 'ada', 'ada']);
    expect(new Set(done.slice(1).map((act) => act.session))).toEqual(new Set([session.id]));
    expect(fake.params('completion/complete')[0]).toMatchObject({ context: { arguments: { other: 'x' } } });
  });

  test('a session completes a template if a rule allows the URI that its values expand to', async () => {
    const fake = shop();
    const policy = [rules.deny({ name: 'file:///secret/*' }), rules.allow({})];
    await using host = createHost(given(fake, { policy }));
    await using session = host.session();
    // Different templates, because the host waits before it completes the same field again.
    const complete = (folder: string, file: string): Promise<unknown> => {
      const ref = { type: 'ref/resource', uri: `file:///{folder}/${file}` } as const;
      return session.complete('shop', ref, { argument: { name: 'name', value: 'a' }, context: { folder } });
    };
    for (const [i, folder] of ['secret', 'x/../secret', '%73ecret'].entries())
      await expect(complete(folder, `{name}.${i}`), folder).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(fake.params('completion/complete')).toEqual([]);
    await complete('public', '{name}');
    const [sent, ...others] = fake.params('completion/complete');
    expect(sent).toMatchObject({
      ref: { uri: 'file:///{folder}/{name}' },
      context: { arguments: { folder: 'public' } },
    });
    expect(others).toEqual([]);
  });

  test('a session asks before a tool runs, shows the arguments, and sends them as the user edited them', async () => {
    verifies('HOST-23', 'HOST-17', 'SEC-001');
    const fake = shop();
    const { asked, consent } = person(() => ({ allow: true, arguments: { order: 'A-2' } }));
    await using host = createHost(given(fake, { consent }));
    await using session = host.session({ principal: 'ada' });
    const { text, act } = await session.call('shop.refund', { order: 'A-1' });
    expect(asked[0]?.act).toMatchObject({ kind: 'tool', name: 'refund', arguments: { order: 'A-1' } });
    expect(text).toBe('["refund",{"order":"A-2"}]');
    const [decided] = (await host.explain(act)) as [AuditRecord];
    expect(decided).toMatchObject({ allowed: true, consent: { allow: true, edited: true } });
  });

  test("a session trusts a server's annotations only if a rule says so", async () => {
    const fake = shop();
    const { asked, consent } = person(() => ({ allow: false, reason: 'no' }));
    await using host = createHost(given(fake, { consent }));
    await using session = host.session();
    await session.call('shop.orders');
    expect(asked).toEqual([]);
    await expect(session.call('shop.refund')).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(fake.params('tools/call').map(({ name }) => name)).toEqual(['orders']);
  });

  test('a session reports unknown names', async () => {
    await using host = createHost(given(shop()));
    await using session = host.session();
    const errorOf = (failing: Promise<unknown>): Promise<unknown> =>
      failing.catch(({ code, message }) => `${code} ${message}`);
    const noServer = (label: string): string =>
      `MCP_NOT_FOUND The server "${label}" was not found: this host has no server with this label; available: shop`;
    const noTool = 'was not found: no server of this host offers it; did you mean shop.orders?';
    expect(await errorOf(session.call('orders'))).toBe(`MCP_NOT_FOUND The tool "orders" ${noTool}`);
    expect(await errorOf(session.call('shop__orders'))).toBe(`MCP_NOT_FOUND The tool "shop__orders" ${noTool}`);
    expect(await errorOf(session.call('shop.oders'))).toBe(`MCP_NOT_FOUND The tool "shop.oders" ${noTool}`);
    expect(await errorOf(session.call('missing.orders'))).toBe(noServer('missing'));
    expect(await errorOf(session.read('missing', 'a:b'))).toBe(noServer('missing'));
    expect(await errorOf(session.prompt('shop.nothing'))).toBe(
      'MCP_NOT_FOUND The prompt "shop.nothing" was not found: no server of this host offers it; available: shop.sum',
    );
  });

  test('a session that closes cancels running calls, and starts no others', async () => {
    const fake = new FakeServer({
      revision: '2025-06-18',
      on: { 'tools/list': () => ({ tools }), 'tools/call': () => silence },
    });
    await using host = createHost(given(fake));
    const session = host.session();
    const calling = session.call('shop.orders').catch((error: unknown) => error);
    await settled();
    await settled();
    await session.close();
    expect(await calling).toMatchObject({ code: 'MCP_CANCELLED' });
    expect(fake.methods).toContain('notifications/cancelled');
    await expect(session.call('shop.orders')).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  });

  test('a call is cancelled by its caller', async () => {
    const { asked, consent } = person(() => new Promise(() => undefined));
    await using host = createHost(given(shop(), { consent }));
    await using session = host.session();
    const controller = new AbortController();
    const calling = session.call('shop.refund', {}, { signal: controller.signal });
    while (asked.length === 0) await settled();
    controller.abort(new Error('changed my mind'));
    await expect(calling).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  });
});

describe('a host', () => {
  test('a host makes many calls of one server at once, without MaxListenersExceededWarning', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    await using host = createHost(given(shop()));
    const session = host.session();
    const calls = Array.from({ length: 20 }, () => session.call('shop.orders'));
    expect(await Promise.all(calls)).toHaveLength(20);
    await settled();
    process.off('warning', note);
    expect(warnings).not.toContain('MaxListenersExceededWarning');
  });

  test('a host denies what no user can be asked about', async () => {
    verifies('HOST-16');
    const fake = shop();
    await using host = createHost({ servers: { shop: fake.transport } });
    await expect(host.session().call('shop.orders')).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(fake.lines).toEqual([]);
  });

  test('a host has a client for each server, and one that fails does not affect the others', async () => {
    verifies('HOST-1', 'HOST-7');
    const [a, b] = [shop(), shop('2026-07-28')];
    const servers = { a: a.transport, b: b.transport, c: () => Promise.reject(new Error('no route')) };
    await using host = createHost({ servers, policy: [rules.allow({})], health: false });
    await using session = host.session();
    const calls = ['a', 'b', 'c'].map((label) => session.call(`${label}.orders`));
    const [one, two, three] = await Promise.allSettled(calls);
    expect([one?.status, two?.status, three?.status]).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect([...host.servers].map(([label, { state }]) => `${label} ${state}`)).toEqual([
      'a ready',
      'b ready',
      'c failed',
    ]);
    const clients = ['a', 'b'].map((label) => (host.servers.get(label) as HostedServer).client()); // as the host has them
    expect(await clients[0]).not.toBe(await clients[1]);
    expect(JSON.stringify(a.heard)).not.toContain('"b"');
  });

  test('a host remembers an approval until it is revoked', async () => {
    const { asked, consent } = person(() => ({ allow: true, remember: { for: 'any arguments', until: 'session' } }));
    await using host = createHost(given(shop(), { consent }));
    await using session = host.session();
    await session.call('shop.refund', { order: '1' });
    await session.call('shop.refund', { order: '2' });
    expect(asked).toHaveLength(1);
    const [approval] = await host.approvals.list();
    expect(approval).toMatchObject({ server: 'shop', kind: 'tool', name: 'refund' });
    expect(await host.approvals.revoke(approval?.id ?? '')).toBe(true);
    await session.call('shop.refund', { order: '3' });
    expect(asked).toHaveLength(2);
  });

  test('host.close() closes its sessions and servers', async () => {
    verifies('HOST-2');
    const host = createHost(given(shop()));
    const session = host.session();
    await session.call('shop.orders');
    await host.close();
    expect(host.servers.get('shop')?.state).toBe('stopped');
    await expect(session.call('shop.orders')).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  });

  test.each(['Shop', 'my.shop', '', 'x'.repeat(65), 'ѕhop'])('a host rejects the label %j', (label) => {
    expect(() => createHost({ servers: { [label]: shop().transport } })).toThrow(
      'a label has 1 to 64 of the characters',
    );
  });
});

describe('what sessions of one principal see', () => {
  test('visibility is decided once for each tool, for all sessions', async () => {
    let decided = 0;
    const both = ['shop.orders', 'shop.refund'];
    const counting: Rule = { text: 'counting', decide: () => ({ verdict: 'allow', why: `${++decided}` }) };
    await using host = createHost({ servers: { shop: shop().transport }, policy: [counting], health: false });
    const sessions = [host.session(), host.session(), host.session({ principal: 'ada' })];
    const seen = [];
    for (const session of sessions)
      seen.push(
        (await session.tools()).map(({ name }) => name),
        decided,
      );
    const [, first = 0, , again = 0, , other = 0] = seen as number[];
    expect(seen.filter(Array.isArray)).toEqual([both, both, both]);
    expect(again).toBe(first);
    expect(other).toBeGreaterThan(first);
  });

  test('visibility is decided for each session if a rule reads the session', async () => {
    const hidden = new Set<string>();
    const rule: Rule = {
      text: 'hides from some sessions',
      decide: ({ session }) => ({
        verdict: session !== undefined && hidden.has(session) ? 'deny' : 'allow',
        why: 'a test',
      }),
    };
    await using host = createHost({ servers: { shop: shop().transport }, policy: [rule], health: false });
    const [one, two, three] = [host.session(), host.session(), host.session()];
    hidden.add(two.id);
    const counts = [];
    for (const session of [one, two, three, one]) counts.push((await session.tools()).length);
    expect(counts).toEqual([2, 0, 2, 2]);
    expect(await two.catalogue.search('refund')).toEqual([]);
  });
});

describe('a server that cannot be listed', () => {
  const broken = (): Promise<never> => Promise.reject(new Error('no route'));

  test('a server that cannot be listed causes one warning', async () => {
    const warnings: string[] = [];
    await using host = createHost({
      servers: { shop: shop().transport, broken },
      policy: [rules.allow({})],
      model: scriptedModel(['Hello']),
      onWarning: (warning) => warnings.push(warning),
    });
    await host.session().run('Hi');
    expect(await host.session().tools()).toHaveLength(2);
    expect(await host.session().tools()).toHaveLength(2);
    expect(warnings).toEqual(['The server "broken" could not be listed completely: no route']);
  });

  test('a server that cannot be listed causes another warning if it was listed in between', async () => {
    const warnings: string[] = [];
    const clock = new HeldClock();
    let away = true;
    const listing = new FakeServer({
      revision: '2025-06-18',
      on: { 'tools/list': () => (away ? new RpcError(-32603, 'No database') : { tools }) },
    });
    await using host = createHost({
      servers: { shop: listing.transport },
      policy: [rules.allow({})],
      ...{ clock, health: false, onWarning: (warning) => warnings.push(warning) },
    });
    const session = host.session();
    expect(await session.tools()).toEqual([]);
    expect(await session.tools()).toEqual([]);
    expect(warnings).toHaveLength(1);
    await clock.pass(30_000);
    away = false;
    expect(await session.tools()).toHaveLength(2);
    await clock.pass(300_000);
    away = true;
    await session.tools();
    expect(warnings).toHaveLength(2);
    expect(warnings.at(-1)).toContain('"shop" could not be listed completely');
  });

  test('a server with many wrong tools causes a short warning', async () => {
    const warnings: string[] = [];
    const long = Array.from({ length: 30 }, (_, i) => ({ ...tools[0], name: `${'x'.repeat(200)}${i}` }));
    const wrong = new FakeServer({
      revision: '2025-06-18',
      on: { 'tools/list': () => ({ tools: [...tools, ...long] }) },
    });
    await using host = createHost({
      servers: { shop: wrong.transport },
      policy: [rules.allow({})],
      onWarning: (warning) => warnings.push(warning),
    });
    const session = host.session();
    expect(await session.tools()).toHaveLength(2);
    expect(warnings).toEqual([expect.stringMatching(/^The server "shop" could not be listed.*characters; 20 more$/)]);
    expect(session.catalogue.problems()).toHaveLength(30);
  });

  test('a caller who has read the problems gets no warning', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: string): void => void warnings.push(warning);
    await using host = createHost({ servers: { broken }, policy: [rules.allow({})], onWarning });
    const session = host.session();
    expect(await session.catalogue.tools()).toEqual([]);
    expect(warnings).toEqual([]);
    expect(session.catalogue.problems()).toEqual([{ server: 'broken', why: 'no route' }]);
    expect(await session.tools()).toEqual([]);
    expect(warnings).toEqual([]);
  });
});
