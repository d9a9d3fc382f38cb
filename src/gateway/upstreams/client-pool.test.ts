/** Which callers share a conversation with an upstream, and which must not. */
import { expect, test } from 'vitest';
import { FakeServer, silence } from '../../../test/support/fake-server.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { open, type Raw, type RawOptions, STATELESS } from '../../../test/support/raw.ts';
import { soon } from '../../../test/support/soon.ts';
import { defined, isObject } from '../../jsonrpc/message.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { createGateway } from '../gateway.ts';
import type { GatewaySpec, UpstreamIsolation, UpstreamOptions } from '../spec.ts';
import { Circuit } from './circuit.ts';
import { ClientPool } from './client-pool.ts';
import { upstreamSettings } from './upstream-settings.ts';

const SESSIONS = '2025-11-25';
const ada: AuthInfo = { issuer: 'https://id', subject: 'ada', scopes: [] };
const fresh = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' };
const forms = { elicitation: { form: {} } };
const asAda: RawOptions = { auth: ada };
const others: Readonly<Record<string, RawOptions>> = {
  'the same caller': asAda,
  'the same subject of another issuer': { auth: { ...ada, issuer: 'https://other' } },
  'another caller': { auth: { ...ada, subject: 'bob' } },
  'the same caller that can be asked more': { auth: ada, capabilities: forms },
};
type Who = keyof typeof others;

type Run = (
  of: (options: RawOptions) => Promise<Raw>,
  call: (raw: Raw) => Promise<number>,
  upstream: FakeServer,
) => Promise<void>;

/** Runs calls in order, and returns the number of the conversation for each. */
async function conversations(
  revision: string,
  isolate: UpstreamIsolation | undefined,
  run: Run,
  options: Partial<UpstreamOptions & Pick<GatewaySpec, 'clock' | 'onWarning'>> = {},
): Promise<void> {
  const upstream = new FakeServer({
    revision,
    on: {
      ping: () => silence,
      'tools/list': () => ({ ...fresh, tools: [{ name: 'find', inputSchema: { type: 'object' } }] }),
      'tools/call': ({ arguments: args }) =>
        isObject(args) && args['hangs'] === true ? silence : { resultType: 'complete', content: [] },
    },
  });
  const { clock, onWarning, ...more } = options;
  const shop = { transport: upstream.transport, ...(isolate === undefined ? {} : { isolate }), ...more };
  const around = defined<Pick<GatewaySpec, 'clock' | 'onWarning'>>({ clock, onWarning });
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop }, ...around });
  let calls = 0;
  const call = async (raw: Raw): Promise<number> => {
    const n = ++calls;
    await raw.result('tools/call', { name: 'shop__find', arguments: { n } });
    return upstream.lines.findIndex(({ heard }) => JSON.stringify(heard).includes(`"arguments":{"n":${n}}`));
  };
  await run((options) => open(gateway, options), call, upstream);
}

test.each<[string, UpstreamIsolation | undefined, readonly Who[]]>([
  [STATELESS, undefined, Object.keys(others)],
  [STATELESS, 'principal', ['the same caller', 'the same caller that can be asked more']],
  [STATELESS, 'call', []],
  [SESSIONS, undefined, ['the same caller']],
  [SESSIONS, 'principal', ['the same caller']],
  [SESSIONS, 'shared', Object.keys(others)],
  [SESSIONS, 'session', []],
  [SESSIONS, 'call', []],
])(
  'with an upstream in %s and isolate %s, a caller shares its conversation with: %j',
  async (revision, isolate, shared) => {
    for (const [who, options] of Object.entries(others))
      await conversations(revision, isolate, async (of, call) => {
        const caller = { revision: SESSIONS };
        const first = await call(await of({ ...asAda, ...caller }));
        const second = await call(await of({ ...options, ...caller }));
        expect([who, second === first]).toEqual([who, shared.includes(who)]);
      });
  },
);

test('a session keeps its conversation', async () => {
  await conversations(SESSIONS, 'session', async (of, call) => {
    const one = await of({ ...asAda, revision: SESSIONS });
    expect(await call(one)).toBe(await call(one));
  });
});

test('without authorization, sessions are told apart where the upstream has a handshake, and requests without a session share', async () => {
  await conversations(SESSIONS, undefined, async (of, call) => {
    const [one, two] = [await of({ revision: SESSIONS }), await of({ revision: SESSIONS })];
    expect(await call(one)).toBe(await call(one));
    expect(await call(two)).not.toBe(await call(one));
    const [three, four] = [await of({ revision: STATELESS }), await of({ revision: STATELESS })];
    expect(await call(three)).toBe(await call(four));
  });
});

test('a session that ends takes its conversation with it, and no other', async () => {
  await conversations(SESSIONS, 'session', async (of, call, { lines }) => {
    const [one, two] = [await of({ ...asAda, revision: SESSIONS }), await of({ ...asAda, revision: SESSIONS })];
    const [first, second] = [await call(one), await call(two)];
    const ended: number[] = [];
    for (const [at, { closed }] of lines.entries()) void closed.then(() => ended.push(at));
    one.close();
    await lines[first]?.closed;
    expect(ended).toEqual([first]);
    expect(await call(two)).toBe(second);
  });
});

const GONE = 'lost its session, and what it kept for this caller is gone: the next call begins another one';

test('a session whose conversation makes room for another is told once that what the upstream kept for it is gone', async () => {
  const few = { limits: { clientsPerPrincipal: 1 } };
  await conversations(
    SESSIONS,
    'session',
    async (of, call) => {
      const [one, two] = [await of({ ...asAda, revision: SESSIONS }), await of({ ...asAda, revision: SESSIONS })];
      const first = await call(one);
      await call(two);
      const told = await one.result('tools/call', { name: 'shop__find' });
      expect(told).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(GONE) }] });
      expect(await call(one)).not.toBe(first);
    },
    few,
  );
});

test('a session whose conversation was unused for long is told once that what the upstream kept for it is gone', async () => {
  const clock = new HeldClock();
  await conversations(
    SESSIONS,
    'session',
    async (of, call) => {
      const one = await of({ ...asAda, revision: SESSIONS });
      const first = await call(one);
      await clock.pass(300_000);
      expect(JSON.stringify(await one.result('tools/call', { name: 'shop__find' }))).toContain(GONE);
      expect(await call(one)).not.toBe(first);
    },
    { clock },
  );
});

test('calls of one session at once go to its one conversation in turn, also where questions do not say which call they are about', async () => {
  await conversations(SESSIONS, 'session', async (of, call, upstream) => {
    const one = await of({ ...asAda, revision: SESSIONS, capabilities: forms });
    const first = await call(one);
    const opened = upstream.lines.length;
    expect(await Promise.all([call(one), call(one), call(one)])).toEqual([first, first, first]);
    expect(upstream.lines).toHaveLength(opened);
  });
});

test('requests of a session that is kept nowhere have a conversation each, and the operator is told why', async () => {
  const warnings: string[] = [];
  await conversations(
    SESSIONS,
    'session',
    async (of, call) => {
      const one = await of({ ...asAda, revision: SESSIONS, session: { requestsOnly: true } });
      await call(one);
      await call(one);
      expect(warnings).toEqual([
        'shop: isolate is "session", and sessions of callers are not stored, so the upstream loses the state of a caller after each call. Serve the gateway with a session store, or set isolate to "principal".',
      ]);
    },
    { onWarning: (warning) => warnings.push(warning) },
  );
});

test('what an upstream still asks of a cancelled call cannot reach the next one: it has a conversation of its own', async () => {
  await conversations(SESSIONS, undefined, async (of, call, upstream) => {
    const one = await of({ ...asAda, revision: SESSIONS, capabilities: forms });
    const first = await call(one);
    const hanging = one.start('tools/call', { name: 'shop__find', arguments: { hangs: true } });
    await soon(() => expect(upstream.params('tools/call')).toHaveLength(2));
    hanging.abort('cancelled');
    await hanging.response.catch(() => undefined);
    // The upstream has not answered the ping that proves that the cancelled call is over.
    expect(await call(one)).not.toBe(first);
  });
});

test('the conversation that the gateway lists with is its own, also where a call of a caller opens it', async () => {
  const upstream = new FakeServer({ revision: SESSIONS });
  const clock = new HeldClock();
  const facts = { clock, name: 'acme', version: '1', warn: () => undefined, metrics: undefined, sandbox: undefined };
  const spec = { transport: upstream.transport, limits: { clientsPerPrincipal: 1 } };
  const settings = upstreamSettings('shop', spec, { ...facts, visitCompleted: () => undefined });
  const pool = new ClientPool(settings, new Circuit(settings.circuit, clock), {
    onOpen: () => undefined,
    onLost: () => undefined,
  });
  const audience = { principal: 'ada', capabilities: {}, auth: ada };
  // If it counted for the caller, it would be the only conversation that this caller can have.
  const own = await pool.acquire(audience, { signal: AbortSignal.timeout(20_000) });
  expect([pool.main?.audience, own.audience, pool.size]).toEqual([undefined, audience, 2]);
  await pool.close();
});
