import { describe, expect, test } from 'vitest';
import { FakeServer, type Handler, silence, versionIn } from '../../test/support/fake-server.ts';
import { HeldClock, settled } from '../../test/support/held-clock.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError, RpcError } from '../errors.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Revision } from './contract.ts';
import { findRevision, revisions } from './index.ts';
import { requestLifecycle } from './lifecycles/request.ts';
import { type Agreement, type Negotiation, negotiate, type OpenConnection } from './negotiate.ts';

const STATELESS = '2026-07-28';
const NEWEST_HANDSHAKE = '2025-11-25';
const newest = revisions[0] as Revision; // the list is never empty
/** An invented revision of the same kind. */
const future: Revision = { ...newest, id: '2099-01-01', lifecycle: requestLifecycle('2099-01-01') };

interface Meeting {
  readonly agreement: Promise<Agreement<OpenConnection>>;
  readonly clock: HeldClock;
  readonly stop: AbortController;
}

function meet(server: FakeServer, changes: Partial<Negotiation<OpenConnection>> = {}): Meeting {
  const clock = new HeldClock();
  const stop = new AbortController();
  let id = 0;
  const agreement = negotiate<OpenConnection>({
    allowed: revisions,
    clock,
    probeMs: 3_000,
    signal: stop.signal,
    introduce: () => ({ info: { name: 'me', version: '1' }, capabilities: { roots: {} } }),
    nextId: () => ++id,
    connect: async () => {
      const session: PeerSession = {};
      return { session, connection: await server.transport(() => Promise.resolve(undefined), session) };
    },
    ...changes,
  });
  agreement.catch(() => undefined);
  return { agreement, clock, stop };
}

const only = (...ids: readonly string[]): Revision[] => revisions.filter(({ id }) => ids.includes(id));
const handshake = (revision: string, on: Record<string, Handler> = {}): FakeServer => new FakeServer({ revision, on });

describe('a stateless server', () => {
  test('a stateless server is probed with server/discover, which introduces the client', async () => {
    verifies('STDIO-024', 'DISC-6', 'LIFE-026', 'LIFE-027', 'LIFE-028', 'LIFE-046');
    const server = new FakeServer({ revision: STATELESS });
    const { revision } = await meet(server).agreement;
    expect(revision.id).toBe(STATELESS);
    expect(server.methods).toEqual(['server/discover']);
    expect(server.params('server/discover')[0]?.['_meta']).toEqual({
      'io.modelcontextprotocol/protocolVersion': STATELESS,
      'io.modelcontextprotocol/clientInfo': { name: 'me', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
    });
  });

  test('discovery returns the capabilities, instructions and name of the server', async () => {
    const server = new FakeServer({
      revision: STATELESS,
      on: {
        'server/discover': () => ({
          supportedVersions: [STATELESS],
          capabilities: { tools: {}, seed: { streaming: true } },
          instructions: 'Be kind',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'kind', version: '2' } },
        }),
      },
    });
    verifies('SEEDF-16');
    const agreement = await meet(server).agreement;
    expect(agreement.server).toEqual({
      info: { name: 'kind', version: '2' },
      capabilities: { tools: {}, seed: { streaming: true } },
      instructions: 'Be kind',
    });
  });

  test('a capability that is null counts as absent', async () => {
    const capabilities = { tools: {}, logging: null, prompts: null };
    const on = { 'server/discover': () => ({ supportedVersions: [STATELESS], capabilities }) };
    expect((await meet(new FakeServer({ revision: STATELESS, on })).agreement).server.capabilities).toEqual({
      tools: {},
    });
    const old = new FakeServer({ revision: NEWEST_HANDSHAKE, capabilities });
    expect((await meet(old).agreement).server.capabilities).toEqual({ tools: {} });
  });

  test('negotiation selects the newest stateless revision of the server', async () => {
    verifies('LIFE-049', 'BASE-077');
    const supportedVersions = [NEWEST_HANDSHAKE, STATELESS, 'DRAFT'];
    const server = new FakeServer({
      revision: STATELESS,
      on: { 'server/discover': () => ({ supportedVersions, capabilities: {} }) },
    });
    const { revision } = await meet(server, { allowed: [future, ...revisions] }).agreement;
    expect(revision.id).toBe(STATELESS);
  });

  test('the probe is repeated with a revision that the server names in its rejection', async () => {
    verifies('LIFE-044', 'LIFE-052');
    const server = new FakeServer({
      revision: STATELESS,
      on: {
        'server/discover': (params) =>
          versionIn(params) === STATELESS
            ? { supportedVersions: [STATELESS], capabilities: {} }
            : new RpcError(-32022, 'Unsupported', { supported: [STATELESS], requested: versionIn(params) }),
      },
    });
    const { revision } = await meet(server, { allowed: [future, ...revisions] }).agreement;
    expect(revision.id).toBe(STATELESS);
    expect(server.methods).toEqual(['server/discover', 'server/discover']);
    expect(new Set(server.heard.map((m) => ('id' in m ? m.id : undefined))).size).toBe(2);
  });

  test('the probe is repeated once if the server names the revision that it rejected', async () => {
    verifies('LIFE-044');
    let refusals = 0;
    const refuseOnce: Handler = () =>
      refusals++ === 0
        ? new RpcError(-32022, 'Unsupported', { supported: [STATELESS] })
        : { supportedVersions: [STATELESS], capabilities: {} };
    const server = new FakeServer({ revision: STATELESS, on: { 'server/discover': refuseOnce } });
    expect((await meet(server).agreement).revision.id).toBe(STATELESS);
    expect(server.methods).toEqual(['server/discover', 'server/discover']);
  });

  test('negotiation fails without a handshake if the server rejects every revision that it names', async () => {
    verifies('LIFE-052', 'STDIO-025');
    const refuse: Handler = () => new RpcError(-32022, 'Unsupported', { supported: [STATELESS, 'other'] });
    const server = new FakeServer({ revision: STATELESS, on: { 'server/discover': refuse } });
    await expect(meet(server).agreement).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
    expect(server.methods).toEqual(['server/discover', 'server/discover']);
    await expect(server.line.closed).resolves.toBeUndefined();
  });

  test.each([-32020, -32021])('the error %d does not lead to a handshake', async (code) => {
    verifies('LIFE-052', 'STDIO-025');
    const refuse: Handler = () => new RpcError(code, 'No');
    const server = new FakeServer({ revision: STATELESS, on: { 'server/discover': refuse } });
    await expect(meet(server).agreement).rejects.toMatchObject({ code });
    expect(server.methods).toEqual(['server/discover']);
  });

  test.each([[revisions], [only(STATELESS)]])(
    'negotiation fails without a handshake if discovery names only unknown revisions',
    async (allowed) => {
      const on = { 'server/discover': () => ({ supportedVersions: ['2099-01-01'], capabilities: {} }) };
      const server = new FakeServer({ revision: STATELESS, on });
      await expect(meet(server, { allowed }).agreement).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
      expect(server.methods).toEqual(['server/discover']);
    },
  );

  test('negotiation uses a handshake if no stateless revision is shared', async () => {
    const supportedVersions = [NEWEST_HANDSHAKE];
    const refuse: Handler = () => new RpcError(-32022, 'Unsupported', { supported: supportedVersions });
    for (const discover of [refuse, (): object => ({ supportedVersions, capabilities: {} })]) {
      const server = handshake(NEWEST_HANDSHAKE, { 'server/discover': discover as Handler });
      const { revision } = await meet(server).agreement;
      expect(revision.id).toBe(NEWEST_HANDSHAKE);
      expect(server.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    }
  });
});

describe('a server that opens with a handshake', () => {
  test.each([-32601, -32600, -32602, -32603, -32000, -32004, 1])(
    'negotiation falls back to a handshake on the error %d',
    async (code) => {
      verifies('STDIO-025', 'STDIO-026', 'LIFE-001', 'LIFE-002', 'LIFE-005', 'LIFE-008', 'LIFE-009', 'SEED-9');
      const server = handshake(NEWEST_HANDSHAKE, { 'server/discover': () => new RpcError(code, 'What?') });
      const { revision, session } = await meet(server).agreement;
      expect(revision.id).toBe(NEWEST_HANDSHAKE);
      expect(session).toMatchObject({ revision: NEWEST_HANDSHAKE, batches: false });
      expect(server.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(server.params('initialize')).toEqual([
        { protocolVersion: NEWEST_HANDSHAKE, capabilities: { roots: {} }, clientInfo: { name: 'me', version: '1' } },
      ]);
    },
  );

  test('negotiation falls back to a handshake when server/discover returns an unrelated result', async () => {
    const server = handshake(NEWEST_HANDSHAKE, { 'server/discover': () => ({}) });
    expect((await meet(server).agreement).revision.id).toBe(NEWEST_HANDSHAKE);
  });

  test('negotiation falls back to a handshake after a timeout, and sends only initialize before it ends', async () => {
    verifies('STDIO-025', 'LIFE-006', 'SEED-9');
    const server = handshake(NEWEST_HANDSHAKE, { 'server/discover': () => silence });
    const { agreement, clock } = meet(server);
    await clock.pass(2_999);
    expect(server.methods).toEqual(['server/discover']);
    await clock.pass(1);
    expect((await agreement).revision.id).toBe(NEWEST_HANDSHAKE);
    expect(server.methods.slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  test('if the probe crashes the server, it is restarted and gets a handshake', async () => {
    verifies('STDIO-025');
    const server = handshake(NEWEST_HANDSHAKE, {
      'server/discover': (_params, line) => {
        line.die();
        return silence;
      },
    });
    const { revision, connection: line } = await meet(server).agreement;
    expect(revision.id).toBe(NEWEST_HANDSHAKE);
    expect(server.lines).toHaveLength(2);
    expect(server.lines[1]).toBe(line);
    expect(server.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  test('if the probe crashes a server that starts slowly, it is restarted and gets a handshake', async () => {
    verifies('STDIO-025');
    let read = (): void => undefined;
    const server = handshake(NEWEST_HANDSHAKE, {
      'server/discover': (_params, line) => {
        read = () => line.die(new McpError('MCP_SERVER_EXITED', { command: 's', how: 'code 1', stderr: '' }));
        return silence;
      },
      initialize: () =>
        server.lines.length === 1
          ? silence
          : { protocolVersion: NEWEST_HANDSHAKE, capabilities: {}, serverInfo: { name: 's', version: '1' } },
    });
    const { agreement, clock } = meet(server);
    await clock.pass(3_000);
    expect(server.methods).toEqual(['server/discover', 'initialize']);
    read();
    const { revision, connection } = await agreement;
    expect(revision.id).toBe(NEWEST_HANDSHAKE);
    expect(server.lines).toHaveLength(2);
    expect(server.lines[1]).toBe(connection);
    expect(server.methods).toEqual(['server/discover', 'initialize', 'initialize', 'notifications/initialized']);
  });

  test('the handshake accepts an older revision that the server offers', async () => {
    verifies('BASE-078', 'BASE-079');
    const server = handshake('2025-03-26');
    const { revision, session } = await meet(server).agreement;
    expect(revision.id).toBe('2025-03-26');
    expect(session.batches).toBe(true);
  });

  test('the handshake fails if the server offers an unknown revision', async () => {
    verifies('LIFE-013');
    const server = handshake(NEWEST_HANDSHAKE, {
      initialize: () => ({ protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 's', version: '1' } }),
    });
    const { agreement } = meet(server);
    await expect(agreement).rejects.toThrow(/the client supports .*2024-11-05, the server 1999-01-01/);
    await expect(server.line.closed).resolves.toBeUndefined();
    expect(server.methods).not.toContain('notifications/initialized');
  });

  test('the handshake is repeated with a revision that the server names in its rejection', async () => {
    const server = handshake(NEWEST_HANDSHAKE, {
      initialize: ({ protocolVersion }) =>
        protocolVersion === '2024-11-05'
          ? { protocolVersion, capabilities: {}, serverInfo: { name: 'old', version: '1' } }
          : new RpcError(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'] }),
    });
    const { revision } = await meet(server).agreement;
    expect(revision.id).toBe('2024-11-05');
    expect(server.params('initialize').map((p) => p['protocolVersion'])).toEqual([NEWEST_HANDSHAKE, '2024-11-05']);
  });

  test('a failed handshake reports the revisions that the server names', async () => {
    const server = new FakeServer({
      revision: STATELESS,
      on: { initialize: () => new RpcError(-32022, 'Unsupported protocol version', { supported: [STATELESS] }) },
    });
    const { agreement } = meet(server, { allowed: only('2025-06-18') });
    await expect(agreement).rejects.toThrow(/the client supports 2025-06-18, the server 2026-07-28/);
    await expect(agreement).rejects.toMatchObject({ code: 'MCP_NO_COMMON_REVISION', cause: { code: -32022 } });
  });

  test('the error quotes only the start of what the server names, and no control characters', async () => {
    const supportedVersions = Array.from({ length: 1_000 }, (_, n) => `${n}\u001b${'x'.repeat(10_000)}`);
    const on = { 'server/discover': () => ({ supportedVersions, capabilities: {} }) };
    const failed: unknown = await meet(new FakeServer({ revision: STATELESS, on })).agreement.catch((e: unknown) => e);
    expect(failed).toMatchObject({ code: 'MCP_NO_COMMON_REVISION' });
    expect(String(failed)).toMatch(/the server 0\S*x, 1\S*x, .*9\S*x/);
    expect(String(failed)).not.toContain('\u001b');
    expect(String(failed).length).toBeLessThan(1_000);
  });

  test('the client does not probe if only revisions with a handshake are allowed', async () => {
    const server = handshake('2024-11-05');
    await meet(server, { allowed: only('2025-06-18', '2024-11-05') }).agreement;
    expect(server.methods).toEqual(['initialize', 'notifications/initialized']);
    expect(server.params('initialize')[0]?.['protocolVersion']).toBe('2025-06-18');
  });

  test('negotiation fails with advice if the server needs a handshake and none is allowed', async () => {
    verifies('LIFE-056', 'STDIO-027');
    const server = handshake(NEWEST_HANDSHAKE);
    const { agreement } = meet(server, { allowed: only(STATELESS) });
    await expect(agreement).rejects.toThrow(
      /returned error -32601 when sent server\/discover.*Allow an older revision/,
    );
    expect(server.methods).toEqual(['server/discover']);
  });
});

describe('an answer to the question that comes too late', () => {
  function late(initialize: Handler): { server: FakeServer; answer: () => void } {
    let reply = (): void => undefined;
    const server = new FakeServer({
      revision: STATELESS,
      on: {
        'server/discover': () =>
          new Promise((resolve) => {
            reply = () => resolve({ supportedVersions: [STATELESS], capabilities: { tools: {} } });
          }),
        initialize,
      },
    });
    return { server, answer: () => reply() };
  }

  test('a late discovery response is ignored when the handshake succeeds', async () => {
    const serverInfo = { name: 's', version: '1' };
    const accept: Handler = () => ({ protocolVersion: NEWEST_HANDSHAKE, capabilities: {}, serverInfo });
    const { server, answer } = late(accept);
    const { agreement, clock } = meet(server);
    await clock.pass(3_000);
    answer();
    expect((await agreement).revision.id).toBe(NEWEST_HANDSHAKE);
    // The probe is cancelled after the handshake.
    await settled();
    expect(server.methods.indexOf('notifications/cancelled')).toBeGreaterThan(
      server.methods.indexOf('notifications/initialized'),
    );
  });

  test('a late discovery response is used when the handshake fails', async () => {
    let refuse = (): void => undefined;
    const wait = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const { server, answer } = late(async () => {
      await wait;
      return new RpcError(-32601, 'Method not found');
    });
    const { agreement, clock } = meet(server);
    await clock.pass(3_000);
    answer();
    await settled();
    refuse();
    expect(await agreement).toMatchObject({ revision: { id: STATELESS }, server: { capabilities: { tools: {} } } });
  });
});

describe('what was found out before', () => {
  const facts = { capabilities: { tools: {} } };

  test('a remembered stateless revision is used without a probe', async () => {
    verifies('LIFE-053');
    const server = new FakeServer({ revision: STATELESS });
    const { revision } = await meet(server, { remembered: { revision: newest, server: facts } }).agreement;
    expect(revision).toBe(newest);
    expect(server.methods).toEqual([]);
  });

  test('a remembered revision with a handshake is used without a probe', async () => {
    verifies('LIFE-053');
    const server = handshake(NEWEST_HANDSHAKE);
    const remembered = { revision: findRevision(NEWEST_HANDSHAKE) as Revision, server: facts }; // it is in the list
    await meet(server, { remembered }).agreement;
    expect(server.methods).toEqual(['initialize', 'notifications/initialized']);
  });

  test('negotiation probes again when the remembered revision fails', async () => {
    const server = new FakeServer({ revision: STATELESS });
    const remembered = { revision: findRevision(NEWEST_HANDSHAKE) as Revision, server: facts }; // it is in the list
    const { revision } = await meet(server, { remembered }).agreement;
    expect(revision.id).toBe(STATELESS);
    expect(server.methods).toEqual(['initialize', 'server/discover']);
  });
});

describe('giving up', () => {
  test('aborting closes the connection without cancelling the handshake', async () => {
    verifies('CANCEL-003');
    const server = handshake(NEWEST_HANDSHAKE, { initialize: () => silence });
    const { agreement, stop } = meet(server, { allowed: only(NEWEST_HANDSHAKE) });
    await settled();
    stop.abort(new McpError('MCP_CLOSED', { why: 'enough' }));
    await expect(agreement).rejects.toThrow('enough');
    await expect(server.line.closed).resolves.toBeUndefined();
    expect(server.methods).toEqual(['initialize']);
  });

  test('aborting closes a connection that opens later', async () => {
    const server = handshake(NEWEST_HANDSHAKE);
    let open = (): void => undefined;
    const wait = new Promise<void>((resolve) => {
      open = resolve;
    });
    const connect = async (): Promise<OpenConnection> => {
      await wait;
      return { session: {}, connection: await server.transport(() => Promise.resolve(undefined), {}) };
    };
    const { agreement, stop } = meet(server, { connect });
    stop.abort(new Error('enough'));
    await expect(agreement).rejects.toThrow('enough');
    open();
    await settled();
    await expect(server.line.closed).resolves.toBeUndefined();
  });

  test('an aborted signal prevents opening a connection', async () => {
    const server = handshake(NEWEST_HANDSHAKE);
    await expect(meet(server, { signal: AbortSignal.abort(new Error('never mind')) }).agreement).rejects.toThrow(
      'never mind',
    );
    expect(server.lines).toHaveLength(0);
  });
});
