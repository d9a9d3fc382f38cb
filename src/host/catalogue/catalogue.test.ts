import { describe, expect, test } from 'vitest';
import { FakeServer, silence } from '../../../test/support/fake-server.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { Offering, Stocked, tool } from '../../../test/support/stocked.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import type { Consent, ConsentAnswer } from '../consent/consent.ts';
import { rules } from '../policy/rules.ts';
import type { CatalogueItem, ItemKind } from './item.ts';

const namesOf = (items: readonly Pick<CatalogueItem, 'name'>[]): string[] => items.map(({ name }) => name);

async function loaded<K extends ItemKind>({ catalogue }: Stocked, kind: K): Promise<readonly CatalogueItem<K>[]> {
  await catalogue.load(kind);
  return catalogue.items(kind);
}

describe.each(['2024-11-05', '2025-11-25', '2026-07-28'])('a catalogue of servers that speak %s', (revision) => {
  test('lists the items of all servers, each under its own label', async () => {
    verifies('HOST-6', 'TOOL-41', 'TOOL-42');
    const shop = new Offering(
      {
        tools: [tool('refund'), tool('ship')],
        prompts: [{ name: 'summary' }],
        resources: [{ uri: 'shop://orders', name: 'Orders' }],
        templates: [{ uriTemplate: 'shop://orders/{id}', name: 'An order' }],
      },
      { revision },
    );
    // This server claims the name of the other one, and has a tool of the same name.
    const evil = new Offering({ tools: [tool('refund'), tool('shop.refund')] }, { revision });
    await using given = new Stocked({ zeta: evil, shop });
    expect(namesOf(await loaded(given, 'tool'))).toEqual([
      'shop.refund',
      'shop.ship',
      'zeta.refund',
      'zeta.shop.refund',
    ]);
    expect(namesOf(await loaded(given, 'prompt'))).toEqual(['shop.summary']);
    expect(namesOf(await loaded(given, 'resource'))).toEqual(['shop.shop://orders']);
    expect(namesOf(await loaded(given, 'template'))).toEqual(['shop.shop://orders/{id}']);
    expect(given.catalogue.problems()).toEqual([]);
  });

  test('requests each list once', async () => {
    const shop = new Offering({ tools: [tool('refund')] }, { revision });
    await using given = new Stocked({ shop });
    await Promise.all([loaded(given, 'tool'), loaded(given, 'tool')]);
    await loaded(given, 'tool');
    expect(shop.server.methods.filter((method) => method === 'tools/list')).toHaveLength(1);
  });
});

test('the catalogue is sorted by name, whatever the order of servers and lists', async () => {
  const lists = [
    ['a', 'b'],
    ['b', 'a'],
  ] as const;
  const seen = await Promise.all(
    lists.map(async ([first, second]) => {
      const one = (): Offering => new Offering({ tools: [tool(first), tool(second)] });
      await using given = new Stocked({ [first]: one(), [second]: one() });
      return namesOf(await loaded(given, 'tool'));
    }),
  );
  expect(seen[0]).toEqual(['a.a', 'a.b', 'b.a', 'b.b']);
  expect(seen[1]).toEqual(seen[0]);
});

test('a list that a server advertises and does not implement is empty, and is requested once', async () => {
  const unknown = (): RpcError => new RpcError(-32601, 'Method not found');
  const shop = new Offering(
    { tools: [tool('refund')] },
    { on: { 'resources/list': unknown, 'resources/templates/list': unknown } },
  );
  await using given = new Stocked({ shop });
  for (let round = 0; round < 2; round++) {
    expect(await loaded(given, 'resource')).toEqual([]);
    expect(await loaded(given, 'template')).toEqual([]);
    await given.clock.pass(60_000);
  }
  expect(shop.server.methods.filter((method) => method === 'resources/list')).toHaveLength(1);
  // Templates have no capability of their own: a server without templates need not implement the method.
  expect(given.catalogue.problems()).toEqual([
    { server: 'shop', why: 'resources/list is not implemented, although the server advertises resources' },
  ]);
});

describe('a slow, broken or denied server', () => {
  test('is missing from the catalogue and does not delay the others', async () => {
    const good = new Offering({ tools: [tool('refund')] });
    const hanging = new Offering({}, { on: { 'tools/list': () => silence } });
    await using given = new Stocked({
      good,
      hanging,
      broken: () => Promise.reject(new Error('no route')),
      lying: new Offering({}, { on: { 'tools/list': () => ({ tools: 'none' }) } }),
    });
    const parts = loaded(given, 'tool');
    await given.clock.pass(5_000);
    expect(namesOf(await parts)).toEqual(['good.refund']);
    expect(given.catalogue.problems().map(({ server, why }) => `${server}: ${why}`)).toEqual([
      'hanging: no response within 5 s',
      'broken: no route',
      'lying: The result of tools/list is malformed: "tools" must be a list',
    ]);
  });

  test('delays the list only once, and is retried after a while', async () => {
    const hanging = new Offering({}, { on: { 'tools/list': () => silence } });
    await using given = new Stocked({ hanging });
    const asked = (): number => hanging.server.methods.filter((method) => method === 'tools/list').length;
    const first = loaded(given, 'tool');
    await given.clock.pass(5_000);
    await first;
    const next = loaded(given, 'tool');
    await given.clock.pass(0);
    expect(await next).toEqual([]);
    await given.clock.pass(60_000);
    expect(given.catalogue.problems().at(-1)?.why).toContain('took longer than 60000 ms');
    await loaded(given, 'tool');
    expect(asked()).toBe(1);
    expect(await loaded(given, 'prompt')).toEqual([]);
    await given.clock.pass(30_000);
    const again = loaded(given, 'tool');
    await given.clock.pass(5_000);
    await again;
    expect(asked()).toBe(2);
  });

  test('delays the list while the user is asked whether to open it', async () => {
    let agree: () => void = () => undefined;
    const consent = (): Promise<ConsentAnswer> =>
      new Promise((resolve) => {
        agree = () => resolve({ allow: true });
      });
    const shop = new Offering({ tools: [tool('refund')] });
    await using given = new Stocked({ shop }, { policy: [rules.ask({ kind: 'connect' }), rules.allow({})], consent });
    const parts = loaded(given, 'tool');
    await given.clock.pass(60_000);
    agree();
    expect(namesOf(await parts)).toEqual(['shop.refund']);
  });

  test('does not delay the list if the user may answer hours later', async () => {
    const consent: Consent = { later: true, ask: () => new Promise(() => undefined) };
    await using given = new Stocked({ shop: new Offering({ tools: [tool('refund')] }) }, { policy: [], consent });
    const parts = loaded(given, 'tool');
    await given.clock.pass(5_000);
    expect(await parts).toEqual([]);
  });

  test('appears in the catalogue as soon as it responds', async () => {
    let answer: () => void = () => undefined;
    const slow = new Offering(
      {},
      {
        on: {
          'tools/list': () =>
            new Promise((resolve) => {
              answer = () => resolve({ tools: [tool('late')] });
            }),
        },
      },
    );
    await using given = new Stocked({ slow });
    const { version } = given.catalogue;
    const parts = loaded(given, 'tool');
    await given.clock.pass(5_000);
    expect(await parts).toEqual([]);
    answer();
    await settled();
    expect(given.catalogue.version).toBeGreaterThan(version);
    expect(namesOf(await loaded(given, 'tool'))).toEqual(['slow.late']);
    expect(given.catalogue.problems()).toEqual([]);
  });

  test('keeps its cached items in the catalogue while it is away', async () => {
    const shop = new Offering({ tools: [tool('refund')] });
    await using given = new Stocked({ shop });
    await loaded(given, 'tool');
    shop.server.line.die();
    const parts = loaded(given, 'tool');
    await given.clock.pass(5_000);
    expect(namesOf(await parts)).toEqual(['shop.refund']);
  });

  test('is not retried for a while after it could not be reached', async () => {
    let tries = 0;
    await using given = new Stocked({
      gone: () => {
        tries++;
        return Promise.reject(new Error('no route'));
      },
    });
    for (let i = 0; i < 3; i++) await loaded(given, 'tool');
    expect(tries).toBe(1);
    await given.clock.pass(30_000);
    await loaded(given, 'tool');
    expect(tries).toBe(2);
  });

  test('is requested again after the user declined it only when one of its tools is named', async () => {
    let asked = 0;
    const shop = new Offering({ tools: [tool('refund')] });
    const consent = (): { allow: boolean } => ({ allow: ++asked > 1 });
    await using given = new Stocked({ shop }, { policy: [], consent });
    for (let i = 0; i < 3; i++) expect(await loaded(given, 'tool')).toEqual([]);
    await given.clock.pass(3_600_000);
    expect(await loaded(given, 'tool')).toEqual([]);
    expect(asked).toBe(1);
    expect(given.catalogue.problems()[0]?.why).toContain('denied');
    expect(await given.catalogue.find('tool', 'shop.refund')).toMatchObject({ name: 'refund' });
    expect(asked).toBe(2);
  });
});

describe('a list that changes', () => {
  test('is reloaded when the server announces a change', async () => {
    verifies('HOST-42');
    const shop = new Offering({ tools: [tool('refund', { description: 'Pays back' })] });
    await using given = new Stocked({ shop });
    await loaded(given, 'tool');
    const { version } = given.catalogue;
    await given.clock.pass(1_000);
    shop.change('tools', { tools: [tool('ship', { description: 'Sends parcels' })] });
    await given.clock.pass(0);
    expect(given.catalogue.version).toBeGreaterThan(version);
    expect(namesOf(given.catalogue.items('tool'))).toEqual(['shop.ship']);
    expect(given.catalogue.search('parcel').map(({ name }) => name)).toEqual(['shop.ship']);
    expect(given.catalogue.search('pay')).toEqual([]);
  });

  test('is reloaded at most once a second, however often the server announces changes', async () => {
    const shop = new Offering({ tools: [tool('refund')] });
    await using given = new Stocked({ shop });
    await loaded(given, 'tool');
    for (let i = 0; i < 50; i++) {
      shop.change('tools', { tools: [tool(`refund_${i}`)] });
      await given.clock.pass(50);
    }
    expect(shop.server.methods.filter((method) => method === 'tools/list')).toHaveLength(3);
    await given.clock.pass(1_000);
    expect(namesOf(given.catalogue.items('tool'))).toEqual(['shop.refund_49']);
  });

  test('is reloaded after five minutes if the server announces no changes', async () => {
    const on = { 'tools/list': () => ({ tools: [tool('refund')] }) };
    const quiet = new Offering({}, { on });
    const capabilities = { tools: {} };
    const fake = new FakeServer({ revision: '2025-11-25', capabilities, on });
    await using given = new Stocked({ shop: fake.transport, quiet });
    const asked = (): number => fake.methods.filter((method) => method === 'tools/list').length;
    await loaded(given, 'tool');
    await given.clock.pass(299_000);
    await loaded(given, 'tool');
    expect(asked()).toBe(1);
    await given.clock.pass(1_000);
    await loaded(given, 'tool');
    expect(asked()).toBe(2);
    expect(quiet.server.methods.filter((method) => method === 'tools/list')).toHaveLength(1);
  });

  test('is reloaded after the server reconnects', async () => {
    const shop = new Offering({ tools: [tool('refund')] });
    await using given = new Stocked({ shop });
    await loaded(given, 'tool');
    shop.offered = { tools: [tool('ship')] };
    shop.server.line.die();
    await given.clock.pass(5_000);
    expect(namesOf(await loaded(given, 'tool'))).toEqual(['shop.ship']);
  });
});

describe('an item of a server', () => {
  test('has a name in which unusual characters are escaped', async () => {
    verifies('TOOL-41');
    const evil = new Offering({ tools: [tool('ech\u043e'), tool('a b'), tool('x\u202ey')] });
    await using given = new Stocked({ evil });
    expect(namesOf(await loaded(given, 'tool'))).toEqual(['evil.a~20~b', 'evil.ech~43e~', 'evil.x~202e~y']);
    expect((await loaded(given, 'tool')).map(({ key }) => key)).toEqual(['a b', 'ech\u043e', 'x\u202ey']);
  });

  test('is left out and reported if its name is missing or too long, or its definition too large', async () => {
    const evil = new Offering({
      tools: [
        tool(''),
        tool('n'.repeat(129)),
        tool('good'),
        tool('big', { description: 'x'.repeat(200_000) }),
        tool('twice', { title: 'first' }),
        tool('twice', { title: 'second' }),
      ],
    });
    await using given = new Stocked({ evil });
    expect((await loaded(given, 'tool')).map(({ title }) => title)).toEqual(['good', 'first']);
    expect(given.catalogue.problems().map(({ why }) => why)).toEqual([
      'the tool "" has no name',
      `the tool "${'n'.repeat(128)}" has a name of more than 128 characters`,
      'the tool "big" has a definition of more than 131072 characters',
    ]);
  });

  test('has its own title, the title of its annotations, or its name as title', async () => {
    verifies('TOOL-35', 'RES-39');
    const shop = new Offering({
      tools: [
        tool('a', { title: 'Title', annotations: { title: 'Hint' } }),
        tool('b', { annotations: { title: 'Hint' } }),
        tool('c'),
        tool('d', { title: '  ' }),
        tool('e', { title: 'Two\nlines\u200b' }),
      ],
      resources: [
        { uri: 'x://1', name: 'name', title: 'Title' },
        { uri: 'x://2', name: 'name' },
      ],
    });
    await using given = new Stocked({ shop });
    const titles = (await loaded(given, 'tool')).map(({ title }) => title);
    expect(titles).toEqual(['Title', 'Hint', 'c', 'd', 'Two lines\\u{200b}']);
    expect((await loaded(given, 'resource')).map(({ title }) => title)).toEqual(['Title', 'name']);
  });

  test('keeps its _meta, without the keys of the connection', async () => {
    verifies('SEEDF-20');
    const own = { 'com.example/a': { deep: [1, null] }, 'io.modelcontextprotocol/ui': 'x', plain: true };
    const hop = { 'io.modelcontextprotocol/serverInfo': { name: 'x' }, progressToken: 1 };
    const shop = new Offering({ tools: [tool('a', { _meta: { ...own, ...hop } }), tool('b', { _meta: own })] });
    await using given = new Stocked({ shop });
    const metas = (await loaded(given, 'tool')).map(({ definition }) => definition._meta);
    expect(metas).toEqual([own, own]);
  });
});

describe('servers that change while the host runs', () => {
  const serverOf = (name: string): Offering => new Offering({ tools: [tool(name)] });

  test('an added server is in the catalogue, and a removed one is not', async () => {
    await using given = new Stocked({ shop: serverOf('refund') });
    expect(namesOf(await loaded(given, 'tool'))).toEqual(['shop.refund']);
    given.servers.add('bank', serverOf('pay').server.transport);
    expect(given.catalogue.labels).toEqual(['shop', 'bank']);
    expect(namesOf(await loaded(given, 'tool'))).toEqual(['bank.pay', 'shop.refund']);
    await given.servers.remove('shop');
    expect(namesOf(await loaded(given, 'tool'))).toEqual(['bank.pay']);
    expect(given.catalogue.search('refund')).toEqual([]);
    await expect(given.catalogue.find('tool', 'shop.refund')).rejects.toThrow('no server with this label');
  });

  test('a disabled server is not in the catalogue until it is enabled', async () => {
    await using given = new Stocked({ shop: serverOf('refund') });
    const view = given.view();
    expect(namesOf(await view.tools())).toEqual(['shop.refund']);
    await given.servers.disable('shop');
    expect(await view.tools()).toEqual([]);
    await expect(given.catalogue.find('tool', 'shop.refund')).rejects.toMatchObject({ code: 'MCP_CLOSED' });
    given.servers.enable('shop');
    expect(namesOf(await view.tools())).toEqual(['shop.refund']);
  });
});

test('a view is computed once per version, and only for the items that changed', async () => {
  const shop = new Offering({ tools: [tool('refund'), tool('ship')] });
  await using given = new Stocked({ shop });
  const view = given.view();
  const first = await view.tools();
  const { version } = given.catalogue;
  const second = await view.tools();
  expect(given.catalogue.version).toBe(version);
  expect(second.every((one, at) => one === first[at])).toBe(true);
  const [refund] = given.catalogue.items('tool');
  if (refund !== undefined) await given.lock.accept(refund);
  expect(given.catalogue.version).toBeGreaterThan(version);
  const third = await view.tools();
  expect(third.map(({ status }) => status)).toEqual(['approved', 'new']);
  expect(third[1]).toBe(first[1]);
});

test('reloading an unchanged list does not increase the version', async () => {
  const fake = new FakeServer({
    revision: '2025-11-25',
    capabilities: { tools: {} },
    on: { 'tools/list': () => ({ tools: [tool('refund')] }) },
  });
  await using given = new Stocked({ shop: fake.transport });
  const [before] = await loaded(given, 'tool');
  const { version } = given.catalogue;
  await given.clock.pass(300_000);
  const [after] = await loaded(given, 'tool');
  expect(fake.methods.filter((method) => method === 'tools/list')).toHaveLength(2);
  expect([given.catalogue.version, after]).toEqual([version, before]);
  expect(after).toBe(before);
});

test('a list expires if it was loaded before the server announced changes, but not if it was loaded afterwards', async () => {
  const ID = 'io.modelcontextprotocol/subscriptionId';
  let acknowledge = (): void => undefined;
  const shop = new Offering(
    { tools: [tool('refund')] },
    {
      revision: '2026-07-28',
      on: {
        'subscriptions/listen': ({ notifications }, line, { id }) => {
          acknowledge = () =>
            line.notify('notifications/subscriptions/acknowledged', { notifications, _meta: { [ID]: id } });
          return silence;
        },
      },
    },
  );
  const lists = (): number => shop.server.methods.filter((method) => method === 'tools/list').length;
  await using given = new Stocked({ shop });
  await loaded(given, 'tool');
  shop.offered = { tools: [tool('wipe')] };
  acknowledge();
  await settled();
  await given.clock.pass(299_999);
  expect(namesOf(await loaded(given, 'tool'))).toEqual(['shop.refund']);
  await given.clock.pass(1);
  expect(namesOf(await loaded(given, 'tool'))).toEqual(['shop.wipe']);
  await given.clock.pass(300_000);
  await loaded(given, 'tool');
  expect(lists()).toBe(2);
});
