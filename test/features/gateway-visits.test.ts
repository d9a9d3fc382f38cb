/** Visits that a server behind a gateway asks for: as a question, as an error, and repeatedly. */
import { expect, test } from 'vitest';
import { RpcError } from '../../src/errors.ts';
import { GatewayServer } from '../../src/gateway/gateway.ts';
import { createServer, type Server, tool, use } from '../../src/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { type Layer, type Link, linkWith } from '../../src/peer/exchange.ts';
import type { Context } from '../../src/server/context.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/virtual-clock.ts';
import { FakeServer } from '../support/fake-server.ts';
import { open, type Raw, STATELESS, textOf } from '../support/raw.ts';
import { soon } from '../support/soon.ts';
import { verifies } from '../support/verifies.ts';

const PAGES = '2025-11-25';
const url = 'https://pay.example/1';
const page = { mode: 'url', message: 'Pay first', url, elicitationId: 'e1' };
const visits = { elicitation: { form: {}, url: {} } };

/** A shop whose tool needs a visit, and fails until `paid` is set. */
class Shop {
  paid = false;
  calls = 0;
  readonly server: Server = createServer({
    name: 'shop',
    version: '1',
    onError: () => undefined,
    parts: [
      tool({
        name: 'buy',
        run: () => {
          this.calls++;
          if (this.paid) return 'bought';
          throw new RpcError(-32042, 'Pay first', { elicitations: [page] });
        },
      }),
      tool({ name: 'ask', run: (_input, ctx) => this.#ask(ctx) }),
    ],
  }) as Server;

  /** Asks for the same page until it is paid there. */
  async #ask(ctx: Context): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const visit = await ctx.ask(`visit ${attempt}`, 'Pay first', { url });
      if (!visit.accepted) return visit.action;
      visit.completed();
      if (this.paid || attempt > 40) return `paid after ${attempt}`;
    }
  }
}

interface Scene {
  readonly shop: Shop;
  readonly clock: VirtualClock;
  readonly gateway: GatewayServer;
  /** The delays before the gateway accepted again. */
  readonly waits: number[];
  caller(revision: string, answer?: (method: string) => JsonObject): Promise<Raw>;
}

function setScene(upstream: string, hosts: readonly string[] = ['pay.example'], questionMs = 300_000): Scene {
  const [shop, clock, waits] = [new Shop(), virtualClock(), [] as number[]];
  let wasAsked = false;
  const noting: VirtualClock = {
    ...clock,
    after: (ms, run, options) => {
      if (wasAsked && [2_000, 3_000, 5_000, 8_000, 15_000].includes(ms)) waits.push(ms);
      return clock.after(ms, run, options);
    },
  };
  const questions = { visit: { hosts } };
  const gateway = new GatewayServer({
    name: 'acme',
    version: '1',
    clock: noting,
    onWarning: () => undefined,
    upstreams: { shop: { server: shop.server, revisions: [upstream], questions, timeouts: { questionMs } } },
  });
  const caller: Scene['caller'] = (revision, answer = () => ({ action: 'accept' })) => {
    const noticed = (method: string): JsonObject => {
      wasAsked = true;
      return answer(method);
    };
    return open(gateway, { revision, capabilities: visits, answer: noticed });
  };
  return { shop, clock, waits, gateway, caller };
}

const buy = { name: 'shop__buy', arguments: {} };

test('an error that demands a visit is a question to a caller without a handshake, and the call is sent again when the visit is over', async () => {
  verifies('ELIC-36');
  const { shop, gateway, caller } = setScene(PAGES);
  const raw = await caller(STATELESS);
  const asks = await raw.result('tools/call', buy);
  expect(asks).toMatchObject({
    resultType: 'input_required',
    inputRequests: { v1: { method: 'elicitation/create', params: { mode: 'url', message: '[shop] Pay first', url } } },
  });
  const retried = raw.result('tools/call', { ...buy, ...raw.answers(asks) });
  shop.paid = true;
  gateway.state.bridge.visitCompleted('shop', 'unknown');
  gateway.state.bridge.visitCompleted('shop', 'e1');
  expect(textOf(await retried)).toBe('bought');
  expect(shop.calls).toBe(2);
});

test('a visit whose end is never reported is believed after 50 seconds, and asked for again if it is not over', async () => {
  const { clock, shop, caller } = setScene(PAGES);
  const raw = await caller(STATELESS);
  const asks = await raw.result('tools/call', buy);
  const retried = raw.result('tools/call', { ...buy, ...raw.answers(asks) });
  await clock.advance(49_999);
  expect(shop.calls).toBe(1);
  await clock.advance(1);
  expect(await retried).toMatchObject({ resultType: 'input_required' });
  expect(shop.calls).toBe(2);
});

test.each(['decline', 'cancel'])(
  'a visit that the user answers with %s ends the call, and nothing is sent',
  async (action) => {
    const { shop, caller } = setScene(PAGES);
    const raw = await caller(STATELESS, () => ({ action }));
    const result = await raw.complete('tools/call', buy);
    expect([result['isError'], textOf(result), shop.calls]).toEqual([true, expect.stringContaining('declined'), 1]);
  },
);

test('a page on a host that is not allowed, and a caller that has no word for pages, are told that the visit is not possible', async () => {
  for (const [hosts, revision] of [
    [['other.example'], STATELESS],
    [['pay.example'], '2025-06-18'],
    [[], PAGES],
  ] as const) {
    const raw = await setScene(PAGES, hosts).caller(revision);
    const result = await raw.result('tools/call', buy);
    expect([result['isError'], textOf(result)]).toEqual([true, expect.stringContaining('cannot be sent there')]);
  }
});

test('a caller whose revision has the error gets it, with an id that no other upstream has', async () => {
  verifies('ELIC-29');
  const raw = await setScene(PAGES).caller(PAGES);
  expect(await raw.error('tools/call', buy)).toEqual({
    code: -32042,
    message: 'Visit these pages first',
    data: { elicitations: [{ ...page, message: '[shop] Pay first', elicitationId: 'shop e1' }] },
  });
});

test('the end of a visit that an error demanded is told to the caller under the id that it got', async () => {
  const upstream = new FakeServer({
    revision: PAGES,
    on: {
      'tools/list': () => ({ tools: [{ name: 'buy', inputSchema: { type: 'object' } }] }),
      'tools/call': () => new RpcError(-32042, 'Pay first', { elicitations: [page] }),
    },
  });
  await using gateway = new GatewayServer({
    name: 'acme',
    version: '1',
    upstreams: { shop: { transport: upstream.transport, questions: { visit: { hosts: ['pay.example'] } } } },
  });
  const raw = await open(gateway, { revision: PAGES, capabilities: visits });
  const { data } = await raw.error('tools/call', buy);
  const { elicitations } = data as { readonly elicitations: readonly JsonObject[] };
  for (const elicitationId of [page.elicitationId, page.elicitationId, 'another'])
    upstream.line.notify('notifications/elicitation/complete', { elicitationId });
  const elicitationId = elicitations[0]?.['elicitationId'];
  await soon(() => expect(raw.pushed).toHaveLength(1));
  expect(raw.pushed[0]).toMatchObject({ method: 'notifications/elicitation/complete', params: { elicitationId } });
});

test('the end of a visit that a live question asked for is told to the caller under its own id', async () => {
  verifies('ELIC-28');
  const { shop, caller } = setScene(PAGES);
  shop.paid = true;
  const raw = await caller(PAGES);
  expect(textOf(await raw.result('tools/call', { name: 'shop__ask' }))).toBe('paid after 1');
  const elicitationId = raw.asked[0]?.params?.['elicitationId'];
  expect(typeof elicitationId).toBe('string');
  expect(raw.heard.map(({ method, params }) => [method, params])).toEqual([
    ['notifications/elicitation/complete', { elicitationId }],
  ]);
});

test('the end of a visit is told to the caller if it is reported before the caller has answered', async () => {
  const upstream = new FakeServer({
    revision: PAGES,
    on: {
      'tools/list': () => ({ tools: [{ name: 'buy', inputSchema: { type: 'object' } }] }),
      'tools/call': async (_params, line, about) => {
        const answer = line.ask('elicitation/create', page, about);
        await soon(() => expect(raw.asked).toHaveLength(1));
        line.notify('notifications/elicitation/complete', { elicitationId: page.elicitationId });
        finish();
        return { content: [{ type: 'text', text: JSON.stringify(await answer) }] };
      },
    },
  });
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  await using gateway = new GatewayServer({
    name: 'acme',
    version: '1',
    upstreams: { shop: { transport: upstream.transport, questions: { visit: { hosts: ['pay.example'] } } } },
  });
  // The user answers after the end of the visit was reported.
  const late: Layer = (next) => (message, link) => {
    const ask: Link['ask'] = async (asked) => {
      const answer = await link.ask(asked);
      await finished;
      return answer;
    };
    return next(message, linkWith(link, { ask }));
  };
  const raw = await open(use(gateway, late), {
    revision: PAGES,
    capabilities: visits,
    answer: () => ({ action: 'accept' }),
  });
  await raw.result('tools/call', { name: 'shop__buy' });
  const elicitationId = raw.asked[0]?.params?.['elicitationId'];
  expect(raw.heard.map(({ method, params }) => [method, params])).toEqual([
    ['notifications/elicitation/complete', { elicitationId }],
  ]);
});

/** Advances the time until the gateway has accepted `count` more times. */
async function agreeAgain({ clock, waits }: Scene, count: number): Promise<readonly number[]> {
  for (let time = 1; time <= count; time++) {
    await soon(() => expect(waits.length).toBe(time));
    await clock.advance(waits[time - 1] ?? 0);
  }
  return waits;
}

test('a page that an upstream asks for again by its results is shown once, and agreed to again after 2, 3 and 5 seconds', async () => {
  const scene = setScene(STATELESS);
  const raw = await scene.caller(PAGES);
  const call = raw.result('tools/call', { name: 'shop__ask' });
  await agreeAgain(scene, 2);
  await soon(() => expect(scene.waits).toEqual([2_000, 3_000, 5_000]));
  scene.shop.paid = true;
  expect(raw.heard).toEqual([]);
  await scene.clock.advance(5_000);
  // The handler runs from the top after each answer.
  expect(textOf(await call)).toBe('paid after 1');
  const elicitationId = raw.asked[0]?.params?.['elicitationId'];
  expect(raw.asked.length).toBe(1);
  expect(raw.heard.map(({ params }) => params)).toEqual([{ elicitationId }]);
});

test('a page that is asked for again for longer than a question can take is cancelled', async () => {
  const scene = setScene(STATELESS, ['pay.example'], 40_000);
  const raw = await scene.caller(PAGES);
  const call = raw.result('tools/call', { name: 'shop__ask' });
  const waits = await agreeAgain(scene, 6);
  expect(textOf(await call)).toBe('cancel');
  expect(waits).toEqual([2_000, 3_000, 5_000, 8_000, 15_000, 15_000]);
  expect(raw.asked.length).toBe(1);
});
