/** Files that match the schema, but do not do what their operator means. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readGatewayFile } from './read-gateway-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mooring-gateway-file-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The findings for a file, and for the `mcp.json` that it can import. */
async function findings(text: string, servers: object = {}, env: Record<string, string> = {}): Promise<string[]> {
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  const file = join(folder, 'gateway.yaml');
  await writeFile(file, text);
  const report = await readGatewayFile(file, { env, home: folder, run: async () => '' });
  const all = report.findings.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
  expect(report.config === undefined).toBe(all.some((one) => one.startsWith('error')));
  return all;
}

const shop = 'upstreams: { shop: { url: http://shop.internal/mcp } }\n';

describe('a member with nothing below it', () => {
  test.each([
    ['auth', 'members such as "issuer"'],
    ['audit', 'members such as "file"'],
    ['listen', 'members such as "address"'],
    ['views', 'members'],
    ['rates', 'members such as "perPrincipal"'],
    ['keys', 'members such as "state"'],
    ['gateway', 'members such as "name"'],
    ['upstreams', 'members'],
    ['drain', 'members such as "settleMs"'],
  ])('"%s:" alone is an error: it would count as set, and be nothing', async (member, expected) => {
    const text = `${member === 'upstreams' ? '' : shop}${member}:\n`;
    expect(await findings(text)).toContain(`error ${member}: expected ${expected}, not null`);
  });

  test('names that other files use are answered with those of this one', async () => {
    expect(await findings(`${shop}name: acme\nport: 8443\nservers: {}\n`)).toEqual([
      'error name: unknown member "name"; did you mean "gateway.name"?',
      'error port: unknown member "port"; did you mean "listen.address"?',
      'error servers: unknown member "servers"; did you mean "upstreams"?',
    ]);
  });

  test('an address that other machines can reach is not opened by an "auth:" whose members are commented out', async () => {
    const text = `${shop}listen: { address: 0.0.0.0:8443, hosts: [mcp.acme.example] }\nauth:\n  # issuer: https://id.acme.example\n`;
    expect(await findings(text)).toEqual(['error auth: expected members such as "issuer", not null']);
  });

  test('a lock, a rule, its arguments and what a view selects are no exception', async () => {
    expect(await findings(`${shop}lock:\n`)).toEqual([
      'error lock: expected a text or members such as "file", not null',
    ]);
    expect(await findings(`${shop}policy: [{ deny: }]\n`)).toEqual([
      'error policy.0.deny: expected members such as "server", not null',
    ]);
    expect(await findings(`${shop}policy: [{ allow: { arguments: } }]\n`)).toEqual([
      'error policy.0.allow.arguments: expected members, not null',
    ]);
    expect(await findings(`${shop}views: { default: { of: [{ shop: }] } }\n`)).toEqual([
      'error views.default.of.0.shop: expected members such as "tools", not null',
    ]);
  });
});

test('an alias of nothing, and one within what it stands for, are errors with a place', async () => {
  expect(await findings(`${shop}policy: *rules\n`)).toEqual(['error : there is no anchor &rules before this alias']);
  expect(await findings('upstreams: &all\n  shop: *all\n')).toEqual(['error : it is nested more than 100 levels deep']);
});

test('a view that names an upstream twice is an error: the second would replace what the first selects', async () => {
  const of = '[{ shop: { tools: [find] } }, shop]';
  expect(await findings(`${shop}views: { default: { of: ${of} } }\n`)).toEqual([
    'error views.default.of.1: the view "default" has the upstream "shop" already; name it once',
  ]);
});

describe('servers of an application', () => {
  test('two that would have one label are an error, and neither takes the place of the other', async () => {
    const long = 'a'.repeat(24);
    expect(
      await findings('import: mcp.json\n', {
        my_shop: { command: 'one' },
        'my-shop': { command: 'two' },
        [`${long}b`]: { command: 'three' },
        [`${long}c`]: { command: 'four' },
      }),
    ).toEqual([
      'error import: the servers "my_shop" and "my-shop" would both be the upstream "my-shop"; rename one of them',
      `error import: the servers "${long}b" and "${long}c" would both be the upstream "${long}"; rename one of them`,
    ]);
  });

  test('a variable does not say where one is, and its URL has no credentials', async () => {
    const hidden = { url: 'https://$'.concat('{HOST}/mcp') };
    expect(await findings('import: mcp.json\n', { hidden }, { HOST: 'evil.example' })).toContainEqual(
      'error import: the server "hidden": a placeholder can fill path and query, not scheme, host or port; write those out',
    );
    expect(await findings('import: mcp.json\n', { open: { url: 'https://ada:pw@shop.example/mcp' } })).toContainEqual(
      'error import: the server "open": credentials do not belong in a URL; use "auth"',
    );
  });
});

test('a name that every object has is no variable that is set', async () => {
  const args = ['constructor', '__proto__', 'toString'].map((name) => `'${'$'.concat(`{env:${name}}`)}'`);
  expect(await findings(`upstreams: { shop: { command: shop, args: [${args.join(', ')}] } }\n`)).toEqual([
    'error upstreams.shop.args.0: the environment variable constructor is not set; set it',
    'error upstreams.shop.args.1: the environment variable __proto__ is not set; set it',
    'error upstreams.shop.args.2: the environment variable toString is not set; set it',
  ]);
});

test('header fields that HTTP cannot carry, or that are there twice, are errors that do not show their values', async () => {
  const headers = `{ x-key: "a\\r\\nhost: b", "bad name": a, x-id: a, authorization: a }`;
  const auth = '{ static: { headers: { Authorization: "Bearer s3cret\\n" } } }';
  expect(
    await findings(`upstreams: { shop: { url: https://a.example, headers: ${headers}, auth: ${auth} } }\n`),
  ).toEqual([
    'error upstreams.shop.headers.x-key: this is not a valid HTTP header value',
    'error upstreams.shop.headers.bad name: this is not a valid HTTP header name',
    'error upstreams.shop.auth.static.headers.Authorization: this is not a valid HTTP header value',
    'error upstreams.shop.auth.static.headers.Authorization: this header is set twice; remove one',
  ]);
});

test('issuers and token endpoints are reached over https:, or on this machine', async () => {
  const client = '{ id: me, secret: s }';
  const text = `auth: { issuer: http://id.example, audience: https://mcp.example/mcp, jwksUri: http://127.0.0.1:1/keys }
upstreams:
  a: { url: https://a.example, auth: { exchange: { endpoint: http://id.example/token, client: ${client} } } }
  b: { url: https://b.example, auth: { enterpriseManaged: { idp: { issuer: http://idp.example, client: ${client} }, client: ${client} } } }
`;
  const why = 'use https:; http: is accepted only on this machine';
  expect(await findings(text)).toEqual([
    `error auth.issuer: ${why}`,
    `error upstreams.a.auth.exchange.endpoint: ${why}`,
    `error upstreams.b.auth.enterpriseManaged.idp.issuer: ${why}`,
  ]);
});

test('two listeners at one address, and HTTP+SSE at the path of a view, are errors', async () => {
  expect(await findings(`${shop}listen: { address: 127.0.0.1:9090 }\n`)).toEqual([
    'error operations.listen: another listener has the address 127.0.0.1:9090; choose another port',
  ]);
  const views = 'views: { default: { of: [shop] }, ops: { of: [shop] } }\n';
  for (const sse of ['/mcp', '/mcp/ops'])
    expect(await findings(`${shop}${views}listen: { sse: ${sse} }\n`)).toEqual([
      `error listen.sse: a view is served at ${sse}; choose another path`,
    ]);
});

test('a host whose name only begins like an address of this machine is no address of this machine', async () => {
  for (const host of ['127.evil.example', '0.0.0.0'])
    expect((await findings(`${shop}operations: { listen: '${host}:9090' }\n`)).join()).toContain(
      'other machines can reach this address',
    );
  for (const host of ['127.9.9.9', 'LOCALHOST', '[::1]'])
    expect(await findings(`${shop}operations: { listen: '${host}:9090' }\n`)).toEqual([]);
});

describe('isolate: session', () => {
  const upstream = (target: string): string => `upstreams: { shop: { ${target}, isolate: session } }\n`;

  test.each(['sealed', 'none'])('with sessions that are kept nowhere (%s) is an error', async (sessions) => {
    const text = `listen: { sessions: ${sessions} }\nkeys: { state: ${'A'.repeat(43)} }\n${upstream('command: shop')}`;
    expect(await findings(text)).toContain(
      `error upstreams.shop.isolate: with sessions: ${sessions}, each call would begin a session of its own, and what the upstream keeps for it would be gone; set sessions to store, or isolate to principal`,
    );
  });

  test.each(['command: shop', 'url: http://shop.internal/mcp'])(
    'with several nodes, %s gets a warning',
    async (target) => {
      expect((await findings(`stores: { redis: redis://a.internal }\n${upstream(target)}`)).join('\n')).toContain(
        'warning upstreams.shop.isolate: each node has a session of its own with this upstream for a session of a caller: what the upstream stores is lost when the balancer changes the node; use sticky sessions',
      );
    },
  );
});
