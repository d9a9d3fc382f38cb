import { describe, expect, test, vi } from 'vitest';
import { FakeServer, type Handler, silence } from '../../../test/support/fake-server.ts';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { ConfigInput, ServerSource } from '../config/source.ts';
import type { ConsentQuestion } from '../consent/consent.ts';
import { GateKeeper, type GateOptions } from '../gate/gate-keeper.ts';
import { leaseTransport } from '../lease/lease-layer.ts';
import { Lock } from '../lock/lock.ts';
import { rules } from '../policy/rules.ts';
import { processKey } from './fingerprint.ts';
import type { ServerState } from './managed-server.ts';
import type { ServerContext } from './server-context.ts';
import { SupervisedServer } from './supervised-server.ts';

const input = (id: string): ConfigInput => ({
  ...{ id, description: undefined, password: false, default: undefined, options: undefined },
});

interface Given {
  readonly source?: ServerSource;
  readonly fake?: FakeServer;
  readonly gate?: Partial<GateOptions>;
  readonly health?: ServerContext['health'];
  readonly lookups?: Partial<ServerContext['lookups']>;
}

class Tested implements AsyncDisposable {
  readonly clock: HeldClock = new HeldClock();
  readonly states: ServerState[] = [];
  readonly keeper: GateKeeper;
  readonly fake: FakeServer;
  readonly server: SupervisedServer;

  constructor({ source, fake = new FakeServer({ revision: '2025-06-18' }), gate, health = false, lookups }: Given) {
    this.fake = fake;
    this.keeper = new GateKeeper({ policy: [rules.allow({})], clock: this.clock, ...gate });
    this.server = new SupervisedServer('files', source ?? fake.transport, {
      gate: this.keeper,
      handshakes: new Lock({ clock: this.clock, onWarning: () => undefined }),
      health,
      auth: undefined,
      sandbox: undefined,
      fingerprintKey: processKey(),
      lookups: { env: {}, userHome: '/home/ada', cwd: '/work', secrets: undefined, inputs: undefined, ...lookups },
      connect: { clock: this.clock, random: () => 0 },
      handlers: () => ({}),
      guardTransport: (transport, label) => leaseTransport(transport, label, this.keeper.leases),
      revoke: (label) => this.keeper.leases.endServer(label),
    });
    this.server.onState((state) => this.states.push(state));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop();
  }
}

describe('a server of a host', () => {
  test('a server is opened when it is first needed, once for all callers', async () => {
    verifies('HOST-1', 'HOST-2');
    await using given = new Tested({});
    expect(given.server.state).toBe('idle');
    expect(given.fake.lines).toHaveLength(0);
    const [one, other] = await Promise.all([given.server.client(), given.server.client()]);
    expect(one).toBe(other);
    expect(given.fake.lines).toHaveLength(1);
    expect(given.states).toEqual(['connecting', 'ready']);
    expect(given.server.identity()).toEqual({ server: 'files' });
    expect(given.server.address).toBe('a transport of your own');
  });

  test('a server is not opened without permission, and the next use asks again', async () => {
    verifies('HOST-3');
    let answer = false;
    await using given = new Tested({ gate: { policy: [], consent: () => ({ allow: answer }) } });
    await expect(given.server.client()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(given.fake.lines).toHaveLength(0);
    expect(given.server.state).toBe('failed');
    expect(given.server.failure).toMatchObject({ code: 'MCP_DENIED' });
    answer = true;
    await given.server.client();
    expect(given.states).toEqual(['connecting', 'failed', 'connecting', 'ready']);
    expect(given.server.failure).toBeUndefined();
  });

  test('a command that changes while the user is asked is not started', async () => {
    const env: Record<string, string> = { TOOL: 'true' };
    const inputs = vi.fn(async () => 'x');
    const from = { file: 'mcp.json', line: 1, name: 'files', workspaceFolder: '/work', inputs: [input('arg')] };
    const source = { command: { template: `/bin/\${env:TOOL}` }, args: [{ template: `\${input:arg}` }], from };
    const consent = ({ act }: ConsentQuestion): { allow: boolean } => {
      expect(act.name).toBe('/bin/true x');
      env['TOOL'] = 'false';
      return { allow: true };
    };
    await using given = new Tested({ source, gate: { policy: [], consent }, lookups: { env, inputs } });
    await expect(given.server.client()).rejects.toThrow('its definition changed while the user was asked');
    expect(inputs).toHaveBeenCalledOnce();
  });

  test('a server has the fingerprint of the command or URL that it was opened with', async () => {
    const facts = async (source: ServerSource): Promise<unknown> => {
      await using given = new Tested({ source, gate: { policy: [rules.deny({})] } });
      await given.server.client().catch(() => undefined);
      return given.server.identity().fingerprint;
    };
    const urls = ['https://a.test/mcp', 'https://b.test/mcp'];
    const all = [...urls, { command: 'a' }, { command: 'a', args: ['b'] }, { command: 'a', cwd: '/elsewhere' }];
    const prints = await Promise.all(all.map(facts));
    expect(new Set(prints).size).toBe(all.length);
    expect(prints.every((one) => /^[0-9a-f]{64}$/.test(String(one)))).toBe(true);
    expect(await facts({ url: urls[0] ?? '' })).toBe(prints[0]);
  });

  test('opening a server does not time out while the user is asked', async () => {
    let agree: () => void = () => undefined;
    const thinking = new Promise<void>((resolve) => {
      agree = resolve;
    });
    const consent = async (): Promise<{ allow: boolean }> => {
      await thinking;
      return { allow: true };
    };
    await using given = new Tested({ gate: { policy: [], consent } });
    const opening = given.server.client();
    await given.clock.pass(3_600_000);
    agree();
    expect((await opening).state).toBe('ready');
  });

  test('a server is opened although the first caller has stopped waiting', async () => {
    let agree: () => void = () => undefined;
    const consent = (): Promise<{ allow: boolean }> =>
      new Promise((resolve) => {
        agree = () => resolve({ allow: true });
      });
    await using given = new Tested({ gate: { policy: [], consent } });
    const impatient = new AbortController();
    const first = given.server.client(impatient.signal);
    await settled();
    impatient.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    agree();
    expect((await given.server.client()).state).toBe('ready');
  });

  test('a server that cannot be reached is failed, with the reason', async () => {
    const source: ServerSource = () => Promise.reject(new Error('no route'));
    await using given = new Tested({ source });
    await expect(given.server.client()).rejects.toThrow('no route');
    expect(given.states).toEqual(['connecting', 'failed']);
    expect(given.server.failure?.message).toBe('no route');
    expect(given.server.log.at(-1)).toBe('host: failed: no route');
  });

  test('onLog() gets each line of the log until it is unsubscribed', async () => {
    await using given = new Tested({});
    const lines: string[] = [];
    given.server.onLog(() => {
      throw new Error('my fault');
    });
    const stop = given.server.onLog((line) => lines.push(line));
    await given.server.client();
    given.fake.line.notify('notifications/message', { level: 'info', data: 'one\ntwo' });
    await settled();
    stop();
    given.fake.line.notify('notifications/message', { level: 'info', data: 'three' });
    await settled();
    expect(lines.slice(-2)).toEqual(['info: one', 'info: two']);
    expect(given.server.log.at(-1)).toBe('info: three');
  });

  test('the log of a server holds its messages and the warnings about it', async () => {
    await using given = new Tested({});
    await given.server.client();
    given.fake.line.notify('notifications/message', { level: 'error', logger: 'db', data: 'lost all\u001b' });
    await settled();
    expect(given.server.log.join('\n')).toContain('db: lost all\\u001b');
  });

  test('a warning that every connection causes is in the log of a server once', async () => {
    await using given = new Tested({ fake: new FakeServer({ revision: '2026-07-28' }) });
    for (let round = 0; round < 3; round++) await given.server.restart();
    expect(given.fake.lines.length).toBeGreaterThan(2);
    expect(given.server.log.filter((line) => line.includes('deprecates logging'))).toHaveLength(1);
  });

  test('a state listener that throws does not stop the others', async () => {
    await using given = new Tested({});
    given.server.onState(() => {
      throw new Error('my fault');
    });
    await given.server.client();
    expect(given.server.log.join()).toContain('A state listener threw Error: my fault');
  });

  test('a source of an unknown kind throws MCP_BAD_DEFINITION', () => {
    for (const source of [7, true, {}] as unknown as ServerSource[])
      expect(() => new Tested({ source })).toThrow('The server "files": it must be a URL, { url }, { command, args }');
  });
});

describe('the restart of a server', () => {
  test('a server that exits is restarted after a pause, with permission', async () => {
    const asked: ConsentQuestion[] = [];
    const consent = (question: ConsentQuestion): { allow: boolean } => {
      asked.push(question);
      return { allow: true };
    };
    await using given = new Tested({ gate: { policy: [], consent } });
    const client = await given.server.client();
    given.fake.line.die(new Error('out of memory'));
    await settled();
    expect(given.server.state).toBe('restarting');
    expect(given.server.log.join()).toContain('lost: out of memory');
    await given.clock.pass(999);
    expect(given.fake.lines).toHaveLength(1);
    await given.clock.pass(1);
    expect(given.fake.lines).toHaveLength(2);
    expect(given.server.state).toBe('ready');
    expect(await given.server.client()).toBe(client);
    expect(asked.map(({ act }) => act.kind)).toEqual(['connect', 'connect']);
  });

  test('a server that keeps exiting is failed after five restarts, and the next use opens it again', async () => {
    await using given = new Tested({});
    await given.server.client();
    for (let deaths = 0; deaths < 6; deaths++) {
      given.fake.line.die(new Error('again'));
      await given.clock.pass(2_000);
    }
    expect(given.server.state).toBe('failed');
    expect(given.server.failure?.message).toBe('again');
    expect(given.fake.lines).toHaveLength(6);
    await given.clock.pass(600_000);
    expect(given.fake.lines).toHaveLength(6);
    await given.server.client();
    expect(given.server.state).toBe('ready');
  });

  test('a server that exits once in a while is always restarted', async () => {
    await using given = new Tested({});
    await given.server.client();
    for (let deaths = 0; deaths < 20; deaths++) {
      given.fake.line.die();
      await given.clock.pass(30_000);
    }
    expect(given.server.state).toBe('ready');
    expect(given.fake.lines).toHaveLength(21);
  });

  test('a server is not restarted when the rules deny it', async () => {
    let allow = true;
    await using given = new Tested({ gate: { policy: [], consent: () => ({ allow }) } });
    await given.server.client();
    allow = false;
    given.fake.line.die();
    await given.clock.pass(60_000);
    expect(given.server.state).toBe('failed');
    expect(given.server.failure).toMatchObject({ code: 'MCP_DENIED' });
    expect(given.fake.lines).toHaveLength(1);
  });
});

describe.each(['2025-06-18', '2026-07-28'])('the health check of a server, in %s', (revision) => {
  const question = revision === '2025-06-18' ? 'ping' : 'server/discover';
  const health = { everyMs: 60_000, timeoutMs: 5_000, failures: 2 };
  const answers = (on: Record<string, Handler> = {}): FakeServer => new FakeServer({ revision, on });

  test('a silent server is pinged at the configured interval', async () => {
    verifies('PING-003', 'PING-004', 'PING-006');
    await using given = new Tested({ health, fake: answers({ ping: () => ({}) }) });
    await given.server.client();
    const before = given.fake.methods.length;
    const asked = (): string[] => given.fake.methods.slice(before);
    await given.clock.pass(59_999);
    expect(asked()).toEqual([]);
    await given.clock.pass(1);
    expect(asked()).toEqual([question]);
    await given.clock.pass(30_000);
    given.fake.line.notify('notifications/tools/list_changed');
    await given.clock.pass(30_000);
    expect(asked()).toEqual([question]);
    await given.clock.pass(60_000);
    expect(asked()).toEqual([question, question]);
  });

  test('a server that misses pings is logged, and restarted after the configured number', async () => {
    verifies('PING-002', 'PING-005', 'PING-007', 'PING-008', 'PING-009');
    let hangs = false;
    const lifecycle = find(revision);
    const fake = answers({ [question]: (...args) => (hangs ? silence : (lifecycle?.(...args) ?? {})) });
    await using given = new Tested({ health, fake });
    await given.server.client();
    hangs = true;
    await given.clock.pass(65_000);
    expect(given.server.log.at(-1)).toContain('missed a ping (1 in a row)');
    expect(given.server.state).toBe('ready');
    await given.clock.pass(65_000);
    expect(given.server.log.join()).toContain('missed a ping (2 in a row)');
    expect(given.server.state).toBe('restarting');
    hangs = false;
    await given.clock.pass(1_000);
    expect(given.server.state).toBe('ready');
    expect(given.fake.lines).toHaveLength(2);
  });

  test('a server that is idle or stopped is not pinged', async () => {
    await using given = new Tested({ health, fake: answers({ ping: () => ({}) }) });
    await given.clock.pass(600_000);
    expect(given.fake.lines).toHaveLength(0);
    await given.server.client();
    await given.server.stop();
    const before = given.fake.heard.length;
    await given.clock.pass(600_000);
    expect(given.fake.heard).toHaveLength(before);
  });
});

/** The fake server's handler for server/discover, which older revisions do not have. */
function find(revision: string): Handler | undefined {
  if (revision === '2025-06-18') return undefined;
  return () => ({ supportedVersions: [revision], capabilities: {}, ttlMs: 0, cacheScope: 'private' });
}

describe('stop()', () => {
  test('stop() closes the connection, and the server cannot be opened again', async () => {
    verifies('HOST-2');
    await using given = new Tested({});
    const client = await given.server.client();
    await given.server.stop();
    expect(given.states.at(-1)).toBe('stopped');
    expect(client.state).toBe('closed');
    await expect(given.server.client()).rejects.toMatchObject({ code: 'MCP_CLOSED' });
  });

  test('stop() waits at most five seconds for a server that does not exit', async () => {
    await using given = new Tested({});
    await given.server.client();
    given.fake.line.closing = new Promise(() => undefined);
    let stopped = false;
    void given.server.stop().then(() => {
      stopped = true;
    });
    await given.clock.pass(4_999);
    expect(stopped).toBe(false);
    await given.clock.pass(1);
    expect(stopped).toBe(true);
  });

  test('stop() cancels an open question and a connection that is being opened', async () => {
    let asking: AbortSignal | undefined;
    const consent = (_: ConsentQuestion, signal: AbortSignal): Promise<never> => {
      asking = signal;
      return new Promise(() => undefined);
    };
    await using thinking = new Tested({ gate: { policy: [], consent } });
    const opening = thinking.server.client();
    await settled();
    await thinking.server.stop();
    await expect(opening).rejects.toThrow('was stopped by its host');
    expect(asking?.aborted).toBe(true);

    const fake = new FakeServer({ revision: '2025-06-18' });
    let dialled: () => void = () => undefined;
    const slow: ServerSource = async (inbound, session) => {
      await new Promise<void>((resolve) => {
        dialled = resolve;
      });
      return fake.transport(inbound, session);
    };
    await using dialling = new Tested({ source: slow });
    const late = dialling.server.client();
    await settled();
    const stopping = dialling.server.stop();
    dialled();
    await stopping;
    await expect(late).rejects.toThrow();
    expect(await fake.line.closed).toBeUndefined();
    expect(fake.methods).toEqual([]);
  });
});

describe('the question before a server is opened', () => {
  test('the question before a command is started shows program, arguments, folder and names of variables', async () => {
    verifies('SEC-032', 'SEC-033', 'HOST-32', 'HOST-33');
    const asked: ConsentQuestion[] = [];
    const long = 'x'.repeat(5_000);
    const source: ServerSource = {
      command: 'mooring-no-such-program',
      args: ['--flag', 'two words', long, { template: `--key=\${secret:key}` }, { template: `\${userHome}/.ssh` }],
      env: { API_KEY: { secret: 'key' }, NODE_OPTIONS: '--require /tmp/x.js' },
      cwd: '/work/shop',
    };
    let looked = 0;
    const secrets = (): string => {
      looked++;
      return 'hidden';
    };
    const consent = (question: ConsentQuestion): { allow: boolean } => {
      asked.push(question);
      return { allow: false };
    };
    await using given = new Tested({ source, gate: { policy: [], consent }, lookups: { secrets } });
    await expect(given.server.client()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(asked).toHaveLength(1);
    const args = ['--flag', 'two words', long, `--key=\${secret:key}`, '/home/ada/.ssh'];
    expect(asked[0]?.act).toMatchObject({
      kind: 'spawn',
      server: 'files',
      name: `mooring-no-such-program --flag "two words" ${long} "--key=\${secret:key}" /home/ada/.ssh`,
      arguments: { command: 'mooring-no-such-program', args, cwd: '/work/shop', env: ['API_KEY', 'NODE_OPTIONS'] },
      effects: 'unknown',
    });
    expect(asked[0]?.warnings.join('\n')).toMatch(/This starts a program[\s\S]*\.ssh[\s\S]*NODE_OPTIONS changes/);
    expect(looked).toBe(0);
  });

  test('an approval holds for exactly one command', async () => {
    verifies('HOST-33');
    const asked: string[] = [];
    const policy = [rules.ask({ kind: 'spawn' })];
    const consent = ({
      act,
    }: ConsentQuestion): { allow: boolean; remember: { for: 'these arguments'; until: number } } => {
      asked.push(act.name);
      return { allow: true, remember: { for: 'these arguments', until: Number.MAX_SAFE_INTEGER } };
    };
    const keeper = new GateKeeper({ policy, consent, clock: new HeldClock() });
    const surroundings: ServerContext = {
      ...{
        handshakes: new Lock({ clock: new HeldClock(), onWarning: () => undefined }),
        gate: keeper,
        health: false,
        auth: undefined,
        sandbox: undefined,
        fingerprintKey: processKey(),
        handlers: () => ({}),
        connect: {},
      },
      lookups: { env: {}, userHome: '/', cwd: '/', secrets: undefined, inputs: undefined },
      guardTransport: (transport) => transport,
      revoke: () => undefined,
    };
    const start = async (source: ServerSource): Promise<void> => {
      const server = new SupervisedServer('files', source, surroundings);
      await expect(server.client()).rejects.toMatchObject({ code: 'MCP_SPAWN_FAILED' });
      await server.stop();
    };
    await start({ command: 'mooring-no-such-program', args: ['a'] });
    await start({ command: 'mooring-no-such-program', args: ['a'] });
    expect(asked).toHaveLength(1);
    await start({ command: 'mooring-no-such-program', args: ['b'] });
    await start({ command: 'mooring-no-such-program', args: ['a'], env: { PATH: '/tmp' } });
    expect(asked).toHaveLength(3);
  });

  test('the question before a connection is opened shows the URL and the names of the headers', async () => {
    const asked: ConsentQuestion[] = [];
    const consent = (question: ConsentQuestion): { allow: boolean } => {
      asked.push(question);
      return { allow: false };
    };
    const source: ServerSource = {
      url: 'http://mail.test/mcp?key=1',
      headers: { Authorization: 'Bearer abcdefgh', 'X-Team': 'a' },
    };
    await using given = new Tested({ source, gate: { policy: [], consent } });
    await expect(given.server.client()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(asked[0]?.act).toMatchObject({
      kind: 'connect',
      name: 'http://mail.test/mcp',
      arguments: { url: 'http://mail.test/mcp?key=1', headers: ['authorization', 'x-team'] },
    });
    expect(asked[0]?.warnings).toEqual([
      'Others on the network can read and change what is sent there: the URL is not https.',
    ]);
    expect(JSON.stringify(asked)).not.toContain('abcdefgh');
  });
});
