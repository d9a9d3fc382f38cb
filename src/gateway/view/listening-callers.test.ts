/** Callers with their own credentials: while they listen, they hear of changes of their lists, however long they have been silent. */
import { expect, test } from 'vitest';
import { knock } from '../../../test/support/fake-http.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { stateless } from '../../../test/support/http-messages.ts';
import { open, type Raw, STATELESS, textOf } from '../../../test/support/raw.ts';
import { createServer, type Server, tool } from '../../index.ts';
import type { AuthInfo } from '../../model/caller.ts';
import { LISTEN, TOOLS_CHANGED } from '../../model/names.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import { HttpService } from '../../transport/http/service.ts';
import type { UpstreamCredentials } from '../contract.ts';
import { createGateway, type Gateway } from '../gateway.ts';
import type { UpstreamOptions } from '../spec.ts';

// Loaded with the first watch, which the virtual clock does not wait for.
await Promise.all([import('../../revisions/feeds/watch-session.ts'), import('../../revisions/feeds/watch-stream.ts')]);

const MINUTE = 60_000;
const person = (subject: string): AuthInfo => ({ issuer: 'https://id', subject, scopes: [] });
const [ada, bob] = [person('ada'), person('bob')];
const personal: UpstreamCredentials = { keyFor: (auth) => auth?.subject ?? '', authFor: () => undefined };
const find = tool({ name: 'find', run: () => 'found' });

interface World {
  readonly clock: VirtualClock;
  readonly shop: Server;
  readonly gateway: Gateway;
  reload(server: Server): void;
}

async function inFrontOf(
  revision: string,
  run: (world: World) => Promise<void>,
  options: UpstreamOptions = {},
): Promise<void> {
  const clock = virtualClock();
  const shopOf = (server: Server) => ({ server, auth: personal, revisions: [revision], ...options });
  const shop = createServer({ name: 'shop', version: '1', parts: [find] }) as Server;
  const specOf = (server: Server) => ({
    ...{ name: 'acme', version: '1', clock, onWarning: () => undefined },
    upstreams: { shop: shopOf(server) },
  });
  await using gateway = createGateway(specOf(shop));
  await run({ clock, shop, gateway, reload: (server) => gateway.reload(specOf(server)) });
}

/** A caller that lists its tools and listens; returns how often it was told of a change since the last time. */
async function listening(
  { gateway, clock }: World,
  revision: string,
  auth: AuthInfo,
): Promise<{ readonly raw: Raw; readonly told: () => number; stop(): void }> {
  const raw = await open(gateway, { revision, auth });
  await raw.result('tools/list');
  const stream = revision === STATELESS ? raw.start(LISTEN, { notifications: { toolsListChanged: true } }) : undefined;
  await clock.advance(5_000);
  const told = (): number =>
    [...raw.pushed.splice(0), ...raw.heard.splice(0)].filter(({ method }) => method === TOOLS_CHANGED).length;
  told();
  return { raw, told, stop: () => (stream === undefined ? raw.close() : stream.abort('enough')) };
}

const conversations = ({ gateway }: World): number | undefined => gateway.upstreams.get('shop')?.conversations;
const change = async ({ shop, clock }: World, name: string): Promise<void> => {
  shop.add(tool({ name, run: () => '' }));
  await clock.advance(5_000);
  await settled();
};

const pairs = ['2025-11-25', STATELESS].flatMap((caller) =>
  ['2025-11-25', STATELESS].map((to) => [caller, to] as const),
);

test.each(pairs)(
  'a caller in %s of an upstream in %s hears of a change an hour after its last request, until it leaves',
  async (caller, to) => {
    await inFrontOf(to, async (world) => {
      const [one, other] = [await listening(world, caller, ada), await listening(world, caller, ada)];
      await world.clock.advance(60 * MINUTE);
      await change(world, 'more');
      expect([one.told(), other.told()]).toEqual([1, 1]);
      expect(JSON.stringify(await one.raw.result('tools/list'))).toContain('shop__more');
      one.stop();
      await world.clock.advance(60 * MINUTE);
      await change(world, 'second');
      expect([one.told(), other.told()]).toEqual([0, 1]);
      other.stop();
      await world.clock.advance(10 * MINUTE);
      // That of the gateway, which is left.
      expect(conversations(world)).toBe(1);
    });
  },
);

test.each(['2025-11-25', STATELESS])('a caller that listens goes on to listen after a reload (%s)', async (to) => {
  await inFrontOf(to, async (world) => {
    const { told } = await listening(world, STATELESS, ada);
    const next = createServer({ name: 'shop', version: '2', parts: [find] }) as Server;
    world.reload(next);
    await world.clock.advance(10 * MINUTE);
    expect(told()).toBe(1);
    // Its list of the new upstream is not known yet.
    const raw = await open(world.gateway, { auth: ada });
    await raw.result('tools/list');
    await change({ ...world, shop: next }, 'more');
    expect(told()).toBe(1);
  });
});

test('a caller that only listens makes room for calls, and hears of what changed meanwhile', async () => {
  const limits = { clients: 2 };
  await inFrontOf(
    STATELESS,
    async (world) => {
      const { told } = await listening(world, STATELESS, ada);
      const caller = await open(world.gateway, { auth: bob });
      expect(textOf(await caller.result('tools/call', { name: 'shop__find' }))).toBe('found');
      expect(conversations(world)).toBe(2);
      await change(world, 'more');
      await world.clock.advance(10 * MINUTE);
      expect(told()).toBe(1);
    },
    { limits },
  );
});

test('headers of a tool in a list of its caller alone are compared with the body', async () => {
  await inFrontOf(STATELESS, async ({ gateway, shop }) => {
    const region = { type: 'string', 'x-mcp-header': 'Region' } as const;
    const input = { type: 'object', properties: { region } } as const;
    shop.add(tool({ name: 'sell', input, run: () => 'sold' }));
    const service = new HttpService(gateway, { auth: ({ header }) => person(header('authorization') ?? '') });
    const list = stateless('tools/list', {}, { authorization: 'ada' });
    expect(JSON.stringify((await knock(service, list)).json)).toContain('shop__sell');
    const sell = async (header: string): Promise<number> => {
      const params = { name: 'shop__sell', arguments: { region: 'eu' } };
      const sent = stateless('tools/call', params, { authorization: 'ada', 'mcp-param-region': header });
      return (await knock(service, sent)).status;
    };
    expect([await sell('eu'), await sell('us')]).toEqual([200, 400]);
  });
});
