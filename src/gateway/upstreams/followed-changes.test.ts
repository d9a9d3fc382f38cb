/** Callers that watch a view are notified of every change of its upstreams, after failures too. */
import { expect, test } from 'vitest';
import { settled } from '../../../test/support/held-clock.ts';
import { open } from '../../../test/support/raw.ts';
import { connect } from '../../connect/index.ts';
import { createServer, RpcError, type Server, tool, use } from '../../index.ts';
import { isRequest, type JsonObject } from '../../jsonrpc/message.ts';
import type { Layer, Transport } from '../../peer/exchange.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import { memoryTransport } from '../../transport/memory.ts';
import { createGateway } from '../gateway.ts';
import type { UpstreamSpec } from '../spec.ts';

// Loaded with the first watch, which the held clock does not wait for.
await Promise.all([import('../../revisions/feeds/watch-session.ts'), import('../../revisions/feeds/watch-stream.ts')]);

const eras = ['2025-11-25', '2026-07-28'];
const MINUTE = 60_000;

const shop = (revision: string): Server =>
  createServer({ name: 'shop', version: '1', revisions: [revision], parts: [tool({ name: 'find', run: () => '' })] });

/** Delays or rejects the messages that the test names. */
function disturbed(server: Server, answer: (method: string) => Promise<void> | undefined): Server {
  const layer: Layer = (next) => async (message, link) => {
    if (isRequest(message)) await answer(message.method);
    return next(message, link);
  };
  return use(server, layer);
}

interface Watching {
  readonly clock: VirtualClock;
  /** The number of notifications that the watcher got. */
  readonly heard: () => number;
  readonly names: () => Promise<readonly string[]>;
}

async function watching(upstream: UpstreamSpec, run: (it: Watching) => Promise<void>): Promise<void> {
  const clock = virtualClock();
  await using gateway = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { shop: upstream },
    clock,
    onWarning: () => undefined,
  });
  await using client = await connect(gateway, { clock });
  let heard = 0;
  void (async () => {
    for await (const _ of client.watch({ tools: true })) heard++;
  })();
  await clock.advance(1_000);
  const names = async (): Promise<readonly string[]> =>
    (await client.list('tools', { fresh: true }).all()).map(({ name }) => name);
  await run({ clock, heard: () => heard, names });
}

test.each(eras)('a caller hears of the tools of an upstream that was away at first (%s)', async (revision) => {
  const server = shop(revision);
  const inner = memoryTransport(server);
  let isAway = true;
  const transport: Transport = (inbound, session) =>
    isAway ? Promise.reject(new Error('away')) : inner(inbound, session);
  await watching({ transport }, async ({ clock, heard }) => {
    await clock.advance(10 * MINUTE);
    expect(heard()).toBe(0);
    isAway = false;
    await clock.advance(MINUTE);
    expect(heard()).toBe(1);
    server.add(tool({ name: 'more', run: () => '' }));
    await clock.advance(5_000);
    expect(heard()).toBe(2);
  });
});

test.each(eras)('a change that is reported while the list is being fetched is not lost (%s)', async (revision) => {
  const server = shop(revision);
  let holding: Promise<void> | undefined;
  let release = (): void => undefined;
  /** Answers the list in its earlier form, and late. */
  const late: Layer = (next) => async (message, link) => {
    const response = await next(message, link);
    if (isRequest(message) && message.method === 'tools/list') await holding;
    return response;
  };
  const hold = (): void => {
    holding = new Promise((resolve) => {
      release = resolve;
    });
  };
  await watching(use(server, late), async ({ clock, heard, names }) => {
    for (const name of ['second', 'third']) {
      hold();
      server.add(tool({ name: `${name}-before`, run: () => '' }));
      await clock.advance(3_000);
      const before = heard();
      server.add(tool({ name, run: () => '' }));
      await clock.advance(3_000);
      release();
      await clock.advance(5_000);
      // Once for the list that was in progress, and once for the change after it.
      expect(heard()).toBe(before + 2);
      expect(await names()).toContain(`shop__${name}`);
    }
  });
});

test.each(eras)('a list that cannot be fetched after a change is fetched later (%s)', async (revision) => {
  const server = shop(revision);
  let isFailing = false;
  const upstream = disturbed(server, (method) =>
    method === 'tools/list' && isFailing ? Promise.reject(new RpcError(-32603, 'no')) : undefined,
  );
  await watching(upstream, async ({ clock, heard }) => {
    isFailing = true;
    server.add(tool({ name: 'more', run: () => '' }));
    await clock.advance(5 * MINUTE);
    expect(heard()).toBe(0);
    isFailing = false;
    await clock.advance(MINUTE);
    expect(heard()).toBe(1);
  });
});

test('an upstream that could not be watched for a while is watched again, and what it changed meanwhile is reported', async () => {
  const server = shop('2026-07-28');
  let isFailing = false;
  let cutStream: (() => void) | undefined;
  const layer: Layer = (next) => async (message, link) => {
    if (!isRequest(message) || message.method !== 'subscriptions/listen') return next(message, link);
    if (isFailing) throw new RpcError(-32603, 'no');
    // Ends the stream when the test says so.
    const cut = new Promise<undefined>((_, reject) => {
      cutStream = () => reject(new Error('cut'));
    });
    return Promise.race([next(message, link), cut]);
  };
  await watching(use(server, layer), async ({ clock, heard }) => {
    isFailing = true;
    cutStream?.();
    await clock.advance(5 * MINUTE);
    server.add(tool({ name: 'unseen', run: () => '' }));
    await settled();
    expect(heard()).toBe(0);
    isFailing = false;
    await clock.advance(2 * MINUTE);
    expect(heard()).toBe(1);
    server.add(tool({ name: 'seen', run: () => '' }));
    await clock.advance(5_000);
    expect(heard()).toBe(2);
  });
});

test.each(eras)(
  'a caller sees the tools of the process that serves it now, and not those of an earlier one (%s)',
  async (revision) => {
    let server = shop(revision);
    const transport: Transport = (inbound, session) => memoryTransport(server)(inbound, session);
    const clock = virtualClock();
    await using gateway = createGateway({
      ...{ name: 'acme', version: '1', clock, onWarning: () => undefined },
      upstreams: { shop: { transport, isolate: 'principal' } },
    });
    const caller = await open(gateway, { auth: { issuer: 'https://id', subject: 'ada', scopes: [] } });
    const names = async (): Promise<readonly unknown[]> =>
      ((await caller.result('tools/list'))['tools'] as readonly JsonObject[]).map(({ name }) => name);
    expect(await names()).toEqual(['shop__find']);
    // Its conversation has ended.
    await clock.advance(6 * MINUTE);
    server = createServer({
      ...{ name: 'shop', version: '2', revisions: [revision] },
      parts: [tool({ name: 'find', run: () => '' }), tool({ name: 'more', run: () => '' })],
    }) as Server;
    await caller.result('tools/call', { name: 'shop__find' });
    await clock.advance(1_000);
    expect(await names()).toEqual(['shop__find', 'shop__more']);
  },
);
