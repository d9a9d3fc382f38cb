import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { FakeServer, type Handler, silence } from '../../../test/support/fake-server.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { soon } from '../../../test/support/soon.ts';
import { memoryAudit } from '../audit/memory-audit.ts';
import type { ConsentAnswer, ConsentQuestion } from '../consent/consent.ts';
import { createHost } from '../create-host.ts';
import type { Host, HostOptions } from '../host.ts';
import { rules } from '../policy/rules.ts';
import type { HostedServer } from './managed-server.ts';

const fake = (on: Record<string, Handler> = {}): FakeServer =>
  new FakeServer({
    revision: '2025-11-25',
    capabilities: { tools: {} },
    on: {
      'tools/list': () => ({ tools: [{ name: 'refund', inputSchema: { type: 'object' } }] }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
      ...on,
    },
  });

const hostOf = (options: Partial<HostOptions> = {}): Host =>
  createHost({ servers: {}, policy: [rules.allow({})], health: false, onWarning: () => undefined, ...options });

const changesOf = (host: Host): string[] => {
  const changes: string[] = [];
  host.servers.onChange(({ kind, label, server }) => changes.push(`${kind} ${label} ${server.state}`));
  return changes;
};

describe('the servers of a host', () => {
  test('host.servers is a map by label that lists servers added later', async () => {
    await using host = hostOf({ servers: { first: fake().transport } });
    const changes = changesOf(host);
    const second = host.servers.add('second', fake().transport);
    expect([...host.servers.keys()]).toEqual(['first', 'second']);
    expect([...host.servers.values()].map(({ label }) => label)).toEqual(['first', 'second']);
    expect([...host.servers].map(([label, { state }]) => [label, state])).toEqual([
      ['first', 'idle'],
      ['second', 'idle'],
    ]);
    expect([...host.servers.entries()]).toEqual([...host.servers]);
    expect(host.servers.get('second')).toBe(second);
    expect(host.servers.has('third')).toBe(false);
    expect(host.servers.size).toBe(2);
    const seen: unknown[] = [];
    host.servers.forEach((server, label, servers) => void seen.push([server.label, label, servers === host.servers]));
    expect(seen).toEqual([
      ['first', 'first', true],
      ['second', 'second', true],
    ]);
    expect(changes).toEqual(['added second idle']);
  });

  test('host.servers.add() checks labels and sources as createHost does', async () => {
    await using host = hostOf({ servers: { first: fake().transport } });
    const changes = changesOf(host);
    expect(() => host.servers.add('First', fake().transport)).toThrow('1 to 64 of the characters');
    expect(() => host.servers.add('a.b', fake().transport)).toThrow('1 to 64 of the characters');
    expect(() => host.servers.add('first', fake().transport)).toThrow('another server of this host has it');
    expect(() => host.servers.add('number', 7 as never)).toThrow('it must be a URL');
    expect([...host.servers.keys()]).toEqual(['first']);
    expect(changes).toEqual([]);
  });

  test('a server that is added at run time is opened through the gate when it is first needed', async () => {
    const asked: ConsentQuestion[] = [];
    const audit = memoryAudit();
    const consent = (question: ConsentQuestion): { allow: boolean } => {
      asked.push(question);
      return { allow: false };
    };
    await using host = hostOf({ policy: [], consent, audit });
    const shop = fake();
    host.servers.add('shop', shop.transport);
    host.servers.add('command', { command: 'node', args: ['never-started.js'] });
    await settled();
    expect(asked).toEqual([]);
    await expect(host.servers.get('shop')?.connect()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    await expect(host.servers.get('command')?.connect()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(asked.map(({ act }) => `${act.kind} ${act.server}`)).toEqual(['connect shop', 'spawn command']);
    expect(audit.records.map(({ act, allowed }) => `${act.kind} ${allowed}`)).toEqual(['connect false', 'spawn false']);
    expect(shop.lines).toEqual([]);
  });

  test('host.servers.remove() takes a server out at once and fails its open calls with the reason', async () => {
    const shop = fake({ 'tools/call': () => silence });
    await using host = hostOf({ servers: { shop: shop.transport } });
    const changes = changesOf(host);
    await using session = host.session();
    const calling = session.call('shop.refund');
    const failed = expect(calling).rejects.toThrow('the server "shop" was removed from its host');
    await soon(() => expect(shop.methods.includes('tools/call')).toBe(true));
    const server = host.servers.get('shop');
    const removing = host.servers.remove('shop');
    expect(host.servers.has('shop')).toBe(false);
    await failed;
    await removing;
    expect(server?.state).toBe('stopped');
    expect(changes).toEqual(['removed shop stopped']);
    await expect(server?.connect()).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    await expect(host.servers.remove('shop')).rejects.toThrow('this host has no server with this label');
  });

  test('a call that waits for a server to open fails with the reason why the server is gone', async () => {
    const labels = ['removed', 'disabled', 'closed'];
    const hanging = fake({ initialize: () => silence });
    const host = hostOf({ servers: Object.fromEntries(labels.map((label) => [label, hanging.transport])) });
    const session = host.session();
    const failed = labels.map((label) => session.call(`${label}.refund`).catch((error: unknown) => String(error)));
    await soon(() => expect(hanging.methods.filter((method) => method === 'initialize')).toHaveLength(3));
    await Promise.all([host.servers.remove('removed'), host.servers.disable('disabled')]);
    await host.close();
    expect(await Promise.all(failed)).toEqual([
      expect.stringContaining('the server "removed" was removed from its host'),
      expect.stringContaining('the server "disabled" is disabled; enable it first'),
      expect.stringContaining('the session was closed'),
    ]);
  });

  test('host.servers.restart() opens a new connection through the gate', async () => {
    const audit = memoryAudit();
    const shop = fake();
    await using host = hostOf({ servers: { shop: shop.transport }, audit });
    // The client is the host's own: its type is not public.
    const server = host.servers.get('shop') as HostedServer;
    const before = await server.client();
    await host.servers.restart('shop');
    expect(await server.client()).not.toBe(before);
    expect(before.state).toBe('closed');
    expect(shop.lines).toHaveLength(2);
    expect(await shop.lines[0]?.closed).toBeUndefined();
    expect(audit.records.filter(({ phase }) => phase === 'decided').map(({ act }) => act.kind)).toEqual([
      'connect',
      'connect',
    ]);
    await expect(host.servers.restart('other')).rejects.toThrow('available: shop');
  });

  test('host.servers.restart() starts over while a server is being opened', async () => {
    const answers: ((result: Record<string, unknown>) => void)[] = [];
    const initialize: Handler = () => new Promise((resolve) => void answers.push(resolve));
    const shop = fake({ initialize });
    await using host = hostOf({ servers: { shop: shop.transport } });
    const first = host.servers.get('shop')?.connect();
    const failed = expect(first).rejects.toThrow('was restarted by its host');
    await soon(() => expect(answers.length).toBe(1));
    const restarting = host.servers.restart('shop');
    await failed;
    await soon(() => expect(answers.length).toBe(2));
    const opened = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'shop', version: '1' } };
    answers[1]?.(opened);
    await restarting;
    expect(host.servers.get('shop')?.state).toBe('ready');
    expect(host.servers.get('shop')?.failure).toBeUndefined();
  });

  test('host.servers.disable() keeps a server in the map, closed until it is enabled', async () => {
    const shop = fake();
    await using host = hostOf({ servers: { shop: shop.transport } });
    const changes = changesOf(host);
    await host.servers.get('shop')?.connect();
    await host.servers.disable('shop');
    expect(host.servers.get('shop')?.state).toBe('disabled');
    await expect(host.servers.get('shop')?.connect()).rejects.toThrow('the server "shop" is disabled; enable it first');
    await expect(host.servers.restart('shop')).rejects.toThrow('is disabled');
    host.servers.enable('shop');
    host.servers.enable('shop');
    expect(host.servers.get('shop')?.state).toBe('idle');
    await host.servers.get('shop')?.connect();
    expect(shop.lines).toHaveLength(2);
    expect(changes).toEqual(['disabled shop disabled', 'enabled shop idle']);
  });

  test('host.servers.add() throws MCP_CLOSED after the host was closed', async () => {
    const host = hostOf({ servers: { shop: fake().transport } });
    await host.close();
    expect(() => host.servers.add('other', fake().transport)).toThrow('the host was closed');
    expect(host.servers.get('shop')?.state).toBe('stopped');
  });

  test('a listener of host.servers.onChange() that throws is a warning', async () => {
    const warnings: string[] = [];
    await using host = hostOf({ onWarning: (warning) => warnings.push(warning) });
    const changes: string[] = [];
    host.servers.onChange(() => {
      throw new Error('broken');
    });
    host.servers.onChange(({ kind }) => changes.push(kind));
    host.servers.add('one', fake().transport);
    await host.servers.disable('one');
    await host.servers.disable('one');
    await host.servers.remove('one');
    expect(changes).toEqual(['added', 'disabled', 'removed']);
    expect(warnings).toContain('A listener to changes of servers threw Error: broken');
  });

  test('host.servers.onChange() stops when it is unsubscribed', async () => {
    await using host = hostOf();
    const heard: string[] = [];
    const leave = host.servers.onChange(({ label }) => heard.push(label));
    host.servers.add('one', fake().transport);
    leave();
    host.servers.add('two', fake().transport);
    expect(heard).toEqual(['one']);
  });

  test('a server that was removed while it was being opened asks nothing in the name of its successor', async () => {
    const audit = memoryAudit();
    let findSecret: (secret: string) => void = () => undefined;
    const secrets = (): Promise<string> =>
      new Promise((resolve) => {
        findSecret = resolve;
      });
    const ask: Handler = async (_, line) => {
      await line.ask('elicitation/create', { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
      return { content: [] };
    };
    const questions = { form: async () => ({ action: 'accept' as const, content: {} }) };
    const first = { url: 'http://127.0.0.1:1/mcp', headers: { authorization: { secret: 'key' } } };
    await using host = hostOf({ servers: { shop: first }, secrets, questions, audit });
    const opening = expect(host.servers.get('shop')?.connect()).rejects.toThrow('was removed from its host');
    await soon(() => expect(audit.records).toHaveLength(1));
    const removing = host.servers.remove('shop');
    host.servers.add('shop', fake({ 'tools/call': ask }).transport);
    findSecret('secret');
    await Promise.all([opening, removing]);
    await host.session().call('shop.refund');
    const answered = audit.records.filter(({ act }) => act.kind === 'elicitation');
    expect(answered.map(({ act, phase }) => [phase, act.fingerprint])).toEqual([
      ['decided', undefined],
      ['done', undefined],
    ]);
  });

  test('a label that is added again with another command has another fingerprint, which no approval covers', async () => {
    const asked: string[] = [];
    const consent = ({ act }: ConsentQuestion): ConsentAnswer => {
      asked.push(act.name);
      return { allow: true, remember: { for: 'any arguments', until: Number.MAX_SAFE_INTEGER } };
    };
    await using host = hostOf({ policy: [], consent });
    const open = async (args: readonly string[]): Promise<string | undefined> => {
      const server = host.servers.add('tool', { command: process.execPath, args }) as HostedServer; // as the host has it
      await expect(server.client()).rejects.toThrow();
      await host.servers.remove('tool');
      return server.identity().fingerprint;
    };
    const [first, second, again] = [await open(['-e', '1']), await open(['-e', '2']), await open(['-e', '1'])];
    expect(first).not.toBe(second);
    expect(again).toBe(first);
    expect(asked).toEqual([`${process.execPath} -e 1`, `${process.execPath} -e 2`]);
  });
});
