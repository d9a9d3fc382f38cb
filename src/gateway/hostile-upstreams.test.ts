/** Hostile upstreams and callers cannot affect others. */
import { expect, test } from 'vitest';
import { FakeServer } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { everyRevision, open, STATELESS, textOf } from '../../test/support/raw.ts';
import { soon } from '../../test/support/soon.ts';
import { connect } from '../connect/index.ts';
import { RpcError } from '../errors.ts';
import { createServer, httpHandler, resource, tool, use } from '../index.ts';
import { failure, isRequest, type JsonObject, success } from '../jsonrpc/message.ts';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from '../model/names.ts';
import type { Layer, Servable } from '../peer/exchange.ts';
import { nextTurn } from '../peer/runtime.ts';
import type { Revision } from '../revisions/contract.ts';
import { revisions } from '../revisions/index.ts';
import { virtualClock } from '../testing/index.ts';
import { carryQuestion } from './bridge/carry-question.ts';
import { createGateway } from './gateway.ts';
import { gatewayRules } from './policy/gateway-rules.ts';

const fresh = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' };
const good = createServer({ name: 'good', version: '1', parts: [tool({ name: 'find', run: () => 'found' })] });

/** A server that lists these tools, whether it has them or not. */
function listing(
  tools: readonly JsonObject[],
  onList: () => unknown = () => undefined,
  more: JsonObject = {},
): Servable {
  const server = createServer({ name: 'evil', version: '1', parts: [tool({ name: 'ok', run: () => 'ok' })] });
  const layer: Layer = (next) => async (message, link) => {
    const response = await next(message, link);
    if (!isRequest(message) || message.method !== 'tools/list' || !('result' in (response ?? {}))) return response;
    await onList();
    return {
      ...response,
      result: { ...(response as { result: JsonObject }).result, tools, ...more },
    } as typeof response; // another list
  };
  return use(server, layer);
}

test.each([300, 2_000, 6_000])(
  'a schema that is nested %i levels deep is left out, and the tools of other upstreams are listed and called',
  async (depth) => {
    let inputSchema: JsonObject = { type: 'string' };
    for (let level = 0; level < depth; level++) inputSchema = { type: 'object', properties: { a: inputSchema } };
    const tools = [
      { name: 'deep', inputSchema },
      { name: 'plain', inputSchema: { type: 'object' } },
    ];
    const warnings: string[] = [];
    await using gateway = createGateway({
      ...{ name: 'acme', version: '1', upstreams: { evil: listing(tools), good } },
      onWarning: (warning) => warnings.push(warning),
    });
    await using client = await connect(gateway);
    expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['evil__plain', 'good__find']);
    expect((await client.call('good__find')).text).toBe('found');
    expect(warnings).toContain('evil: tools/list lists "deep", which is nested too deeply and was left out');
  },
);

test('a list whose cursor has more than 64 Ki characters is fetched no further', async () => {
  let fetched = 0;
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
  const evil = listing(tools, () => fetched++, { nextCursor: 'x'.repeat(65_537) });
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { evil, good } });
  await using client = await connect(gateway);
  expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['good__find']);
  expect(fetched).toBe(1);
});

test('what is wrong with a list is warned of once, however often the list is fetched', async () => {
  const tools = Array.from({ length: 2 }, () => ({ name: 'same', inputSchema: { type: 'object' } }));
  const warnings: string[] = [];
  let fetched = 0;
  await using gateway = createGateway({
    ...{ name: 'acme', version: '1', upstreams: { evil: listing(tools, () => fetched++, { ttlMs: 0 }) } },
    onWarning: (warning) => warnings.push(warning),
  });
  const caller = await open(gateway);
  for (let n = 0; n < 3; n++) await caller.result('tools/list');
  expect(fetched).toBeGreaterThan(1);
  expect(warnings).toEqual(['evil: tools/list lists "same" twice; the first one counts']);
});

test('a list that names one tool a thousand times fills no log', async () => {
  const tools = Array.from({ length: 1_000 }, () => ({ name: 'same', inputSchema: { type: 'object' } }));
  const warnings: string[] = [];
  await using gateway = createGateway({
    ...{ name: 'acme', version: '1', upstreams: { evil: listing(tools) } },
    onWarning: (warning) => warnings.push(warning),
  });
  await using client = await connect(gateway);
  expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['evil__same']);
  expect(warnings).toEqual([
    'evil: tools/list lists "same" twice; the first one counts',
    'evil: More warnings about tools/list are left out',
  ]);
});

test('of an error of an upstream, 8 KiB of text go on, and data that is no longer', async () => {
  const most = 8 * 1024;
  const errors = [
    new RpcError(-32000, 'm'.repeat(most), 'd'.repeat(most - 2)),
    new RpcError(-32000, 'm'.repeat(most + 1), 'd'),
    new RpcError(-32000, 'm', 'd'.repeat(most - 1)),
    new RpcError(-32000, `m${'😀'.repeat(most / 2)}`),
  ];
  const layer: Layer = (next) => async (message, link) => {
    const error = isRequest(message) && message.method === 'tools/call' ? errors.shift() : undefined;
    return isRequest(message) && error !== undefined ? failure(message.id, error) : next(message, link);
  };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { evil: use(good, layer) } });
  const raw = await open(gateway);
  const call = async (): Promise<unknown> => {
    const { message, data } = await raw.error('tools/call', { name: 'evil__find' });
    return [message.length, typeof data === 'string' ? data.length : data];
  };
  expect([await call(), await call(), await call()]).toEqual([
    [most, most - 2],
    [most, undefined],
    [1, undefined],
  ]);
  // Half of a character is not valid Unicode, and some JSON parsers reject the whole message.
  expect((await raw.error('tools/call', { name: 'evil__find' })).message).toBe(`m${'😀'.repeat(most / 2 - 1)}\ufffd`);
});

test('callers that claim a fraction of a hop share one fetch of a list', async () => {
  let fetched = 0;
  let answer: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
  const slow = async (): Promise<void> => {
    fetched++;
    await asked;
  };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { evil: listing(tools, slow) } });
  const raw = await open(gateway);
  const lists = Array.from({ length: 50 }, (_, at) =>
    raw.result('tools/list', { _meta: { 'dev.mooring/hops': (at + 1) / 100 } }),
  );
  await soon(() => expect(fetched).toBeGreaterThan(0));
  await settled();
  answer();
  await Promise.all(lists);
  expect(fetched).toBeLessThanOrEqual(2);
});

test('a URI that leads out of what a view has of an upstream does not reach it, however it is written', async () => {
  const read: string[] = [];
  const files = createServer({
    ...{ name: 'files', version: '1' },
    parts: [resource({ uri: 'file:///{+path}', name: 'any', read: ({ path }) => `read ${read.push(String(path))}` })],
  });
  const seen: unknown[] = [];
  const layer: Layer = (next) => (message, link) => {
    if (isRequest(message) && message.method === 'resources/read') seen.push(message.params?.['uri']);
    return next(message, link);
  };
  const views = { default: { of: [{ files: { resources: ['file:///public/*'] } }] } };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { files: use(files, layer) }, views });
  const raw = await open(gateway);
  const out = [
    'file:///public/../secret/a',
    'file:///public/%2e%2e/secret/a',
    'file:///public/%252e%252e/secret/a',
    'file:///public/b/../../secret/a',
    'file:///public/..%2fsecret/a',
    'file:///public/..%5csecret',
    'file:///secret/a',
  ];
  for (const uri of out)
    expect(await raw.error('resources/read', { uri: `files+${uri}` }), uri).toMatchObject({
      ...{ code: -32602, message: `Unknown resource: files+${uri}` },
    });
  expect(seen).toEqual([]);
  await raw.result('resources/read', { uri: 'files+file:///public/a%20b' });
  expect(seen).toEqual(['file:///public/a%20b']);
});

test('operators read why a process fails, in one line and without its secrets; callers read that it cannot be reached', async () => {
  const code = "console.error('cannot sign in with', process.env.KEY, '\\nno such key'); process.exit(3)";
  const upstreams = { shop: { command: process.execPath, args: ['-e', code], env: { KEY: 'hunter2-hunter2' } } };
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams, onWarning });
  await gateway.prepare();
  const lastFailure = (): string | undefined => gateway.upstreams.get('shop')?.lastFailure;
  // Starting does not wait for a process that fails slowly.
  await soon(() => expect(lastFailure()).toContain('cannot sign in with [masked] | no such key'));
  await soon(() => expect(warnings.join('\n')).toContain('shop: its tools could not be listed: '));
  expect(warnings.join('\n')).toContain('cannot sign in with [masked] | no such key');
  expect(`${lastFailure()} ${warnings.join('\n')}`).not.toContain('hunter2');
  await using client = await connect(gateway);
  await expect(client.call('shop__find')).rejects.not.toThrow('sign in');
});

const crashing = `
  process.stdin.on('data', (data) => {
    for (const line of String(data).split('\\n').filter(Boolean)) {
      const { id, method } = JSON.parse(line);
      const result = {
        initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } },
        'tools/list': { tools: [{ name: 'print', inputSchema: { type: 'object' } }] },
      }[method];
      const error = { code: -32601, message: 'Method not found' };
      if (method === 'tools/call') setTimeout(() => {
        console.error('out of paper:', process.env.KEY);
        process.exit(9);
      }, 100);
      else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }));
    }
  });
`;

test('a process that ends during calls is logged once, with its label, exit code and stderr, and is not ready', async () => {
  const shop = { command: process.execPath, args: ['-e', crashing], env: { KEY: 'hunter2-hunter2' } };
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { shop }, onWarning });
  await using client = await connect(gateway);
  await client.list('tools').all();
  const calls = await Promise.allSettled([client.call('shop__print'), client.call('shop__print')]);
  expect(calls.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(warnings).toEqual([
    expect.stringMatching(/^shop: the connection was lost during a call: .*\(code 9\).*out of paper: \[masked\]/),
  ]);
  expect(gateway.upstreams.get('shop')).toMatchObject({
    state: 'lost',
    lastFailure: expect.stringContaining('code 9'),
  });
});

test('a page whose host programs do not agree about is not passed on', () => {
  const revision = revisions[0] as Revision; // there is one
  const settings = { visit: { hosts: ['shop.example'] } };
  const route = { label: 'shop', settings, capabilities: { elicitation: { url: {} } }, revision };
  const carry = (url: string): unknown =>
    carryQuestion({ method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url } }, route);
  expect(carry('https://shop.example/pay?a=1#b')).toBeDefined();
  for (const url of ['https://shop.example\\@evil.example', 'https://shop.exa\tmple/', ' https://shop.example/'])
    expect(() => carry(url), url).toThrow('must not have backslashes, blanks or control characters');
});

test('a reload that fails leaves the keys as they were', async () => {
  const [one, two] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const asking = createServer({
    ...{ name: 'shop', version: '1' },
    parts: [tool({ name: 'ship', run: async (_, ctx) => `shipped ${await ctx.confirm('a', 'Sure?')}` })],
  });
  const spec = { name: 'acme', version: '1', upstreams: { shop: asking }, stateKeys: [one] };
  await using gateway = createGateway(spec);
  const raw = await open(gateway, { capabilities: { elicitation: { form: {} } } });
  const { requestState } = await raw.result('tools/call', { name: 'shop__ship' });
  const broken = { url: 'http://127.0.0.1:9', revisions: ['1999-01-01'] };
  expect(() => gateway.reload({ ...spec, stateKeys: [two], upstreams: { shop: broken } })).toThrow('unknown revision');
  const inputResponses = { a: { action: 'accept', content: { confirm: true, value: true, answer: true } } };
  const again = await raw.result('tools/call', { name: 'shop__ship', requestState, inputResponses });
  expect(JSON.stringify(again)).not.toContain('was not issued');
});

test('a bare name goes to no upstream while another that can have it has not listed its tools, unless one is preferred', async () => {
  let list: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => {
    list = resolve;
  });
  const late = listing([{ name: 'other', inputSchema: { type: 'object' } }], () => listed);
  const upstreams = { late: { server: late, timeouts: { listMs: 50 } }, good };
  const spec = { name: 'acme', version: '1', upstreams } as const;
  const of = ['good', { late: { tools: ['other'] } }] as const;
  await using closed = createGateway({ ...spec, names: { style: 'bare' } });
  await using preferring = createGateway({ ...spec, names: { style: 'bare', prefer: { find: 'good' } } });
  await using selecting = createGateway({ ...spec, names: { style: 'bare' }, views: { default: { of } } });
  await using client = await connect(closed);
  expect(await client.list('tools').all()).toEqual([]);
  await expect(client.call('find')).rejects.toMatchObject({ code: -32602, message: 'Unknown tool: find' });
  for (const gateway of [preferring, selecting]) {
    await using other = await connect(gateway);
    expect((await other.call('find')).text).toBe('found');
  }
  list();
  await soon(async () => expect((await client.call('find')).text).toBe('found'));
});

test('a call of a tool whose upstream has not listed its tools yet is worth another try, except for callers that must not see it', async () => {
  let list: () => void = () => undefined;
  const listed = new Promise<void>((resolve) => {
    list = resolve;
  });
  const late = listing([{ name: 'ok', inputSchema: { type: 'object' } }], () => listed);
  const upstreams = { late: { server: late, timeouts: { listMs: 50 } }, good };
  const views = { default: { of: ['late', 'good'] }, part: { of: [{ late: { tools: ['other'] } }] } };
  const policy = [gatewayRules.deny({ server: 'late', name: 'secret' }), gatewayRules.allow({})];
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams, views, policy });
  const data = { outcome: 'not-sent', label: 'late', retryAfterMs: 1_000 };
  for (const { id } of revisions) {
    const raw = await open(gateway, { revision: id });
    expect(await raw.error('tools/call', { name: 'late__ok' })).toMatchObject({ code: -32603, data });
    for (const name of ['late__secret', 'good__none', 'none__ok'])
      expect(await raw.error('tools/call', { name })).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` });
  }
  const part = await open(gateway.view('part'));
  expect(await part.error('tools/call', { name: 'late__ok' })).toMatchObject({ code: -32602 });
  expect(await part.error('tools/call', { name: 'late__other' })).toMatchObject({ code: -32603, data });
  list();
  const raw = await open(gateway);
  await soon(async () => expect(await raw.result('tools/call', { name: 'late__ok' })).toMatchObject({ content: [{}] }));
  expect(await raw.error('tools/call', { name: 'late__none' })).toMatchObject({ code: -32602 });
});

test('a caller that calls names which are not listed keeps no other from a tool that is new', async () => {
  let lists = 0;
  const evil = listing([{ name: 'ok', inputSchema: { type: 'object' } }], () => lists++);
  // The clock stands still, because a gateway refreshes its lists after a while.
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { evil }, clock: virtualClock() });
  const callOf = async (subject: string): Promise<number> => {
    const caller = await open(gateway, { auth: { issuer: 'https://id', subject, clientId: 'desk', scopes: [] } });
    expect(await caller.error('tools/call', { name: 'evil__new' })).toMatchObject({ code: -32602 });
    return lists;
  };
  const first = await callOf('eve');
  expect([await callOf('eve'), await callOf('ada'), await callOf('ada')]).toEqual([first, first + 1, first + 1]);
});

test('a definition that changed after it was listed and before changes are reported is listed again', async () => {
  const pay = (description: string): ReturnType<typeof tool> => tool({ name: 'pay', description, run: () => 'paid' });
  const server = createServer({ name: 'shop', version: '1', parts: [pay('Pays one bill')] });
  let listen: () => void = () => undefined;
  const listening = new Promise<void>((resolve) => {
    listen = resolve;
  });
  const late: Layer = (next) => async (message, link) => {
    if (isRequest(message) && message.method === 'subscriptions/listen') await listening;
    return next(message, link);
  };
  await using gateway = createGateway({
    name: 'acme',
    version: '1',
    upstreams: { shop: { server: use(server, late) } },
  });
  await using client = await connect(gateway);
  const descriptions = async (): Promise<readonly unknown[]> =>
    (await client.list('tools', { fresh: true }).all()).map(({ description }) => description);
  expect(await descriptions()).toEqual(['Pays one bill']);
  server.remove('pay');
  server.add(pay('Pays everything'));
  listen();
  // From here on, the list is valid until the upstream reports a change, which it did too early.
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  await soon(async () => expect(await descriptions()).toEqual(['Pays everything']));
});

test('an error of nothing but blanks holds up nothing, and of a long one operators read the start, in one line', async () => {
  const failing = (text: string): Servable =>
    use(good, (next) => async (message, link) => {
      const isList = isRequest(message) && message.method === 'tools/list';
      return isList ? failure(message.id, new RpcError(-32000, text)) : next(message, link);
    });
  const warnings: string[] = [];
  await using gateway = createGateway({
    ...{ name: 'acme', version: '1' },
    upstreams: {
      blank: failing(`no${' '.repeat(2_000_000)}tools`),
      loud: failing(`lists \n\n  nothing${'!'.repeat(100_000)}`),
      good,
    },
    onWarning: (warning) => warnings.push(warning),
  });
  await using client = await connect(gateway);
  expect((await client.list('tools').all()).map(({ name }) => name)).toEqual(['good__find']);
  expect(warnings.filter((warning) => warning.includes('lists nothing!!!'))).not.toEqual([]);
  expect(warnings.filter((warning) => warning.length > 3_000)).toEqual([]);
});

test.each<[unknown]>([['text'], [7], [null], [[]]])(
  'contents of a resource that are no objects fail that read: %j',
  async (contents) => {
    const evil = createServer({ name: 'evil', version: '1', parts: [resource({ uri: 'a:b', read: () => 'x' })] });
    const layer: Layer = (next) => async (message, link) =>
      isRequest(message) && message.method === 'resources/read'
        ? success(message.id, { resultType: 'complete', contents: [contents] })
        : next(message, link);
    const warnings: string[] = [];
    const upstreams = { evil: use(evil, layer) };
    await using gateway = createGateway({
      name: 'acme',
      version: '1',
      upstreams,
      onWarning: (one) => warnings.push(one),
    });
    const raw = await open(gateway);
    expect(await raw.error('resources/read', { uri: 'evil+a:b' })).toMatchObject({
      message: expect.stringMatching(
        /^The server evil sent an unusable response to resources\/read: .+ \(MCP_BAD_RESULT\)$/,
      ),
    });
    expect(warnings).toEqual([]);
  },
);

/** The response to a call over HTTP with these members in `_meta`, also in JSON form. */
function post(gateway: Servable, name: unknown, more: string): Promise<Response> {
  const info = '{"name":"x","version":"1"}';
  const meta = `"${PROTOCOL_VERSION}":"2026-07-28","${CLIENT_INFO}":${info},"${CLIENT_CAPABILITIES}":{}${more}`;
  const params = `{"name":${JSON.stringify(name)},"_meta":{${meta}}}`;
  const headers = {
    ...{ host: 'localhost', 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call' },
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
  };
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  return httpHandler(gateway)(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
}

test.each<[unknown]>([[{}], [{ toString: 1, valueOf: 1 }], [[]], [7], [null]])(
  'a tool that a caller names by %j is a wrong parameter',
  async (name) => {
    await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { good } });
    const response = await post(gateway, name, '');
    expect(response.status).toBeLessThan(500);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32602 } });
  },
);

test('a caller gets no keys of the protocol to a server of this process by way of a prototype', async () => {
  const seen: JsonObject[] = [];
  const layer: Layer = (next) => (message, link) => {
    if (isRequest(message) && message.method === 'tools/call') seen.push(message.params?.['_meta'] as JsonObject); // each request has it
    return next(message, link);
  };
  await using gateway = createGateway({ name: 'acme', version: '1', upstreams: { good: use(good, layer) } });
  const response = await post(gateway, 'good__find', `,"__proto__":{"progressToken":7,"${LOG_LEVEL}":"debug"}`);
  expect(response.status).toBe(200);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.['progressToken']).toBeUndefined();
  expect(seen[0]?.[LOG_LEVEL]).toBeUndefined();
});

test.each(['2025-11-25', '2026-07-28'])(
  'a task that an upstream in %s makes of a call, which is not asked for, is no result, and its id reaches no caller',
  async (revision) => {
    const task = { taskId: 'task-1', status: 'working', createdAt: '2026-11-19T00:00:00Z', ttl: 60_000 };
    const upstream = new FakeServer({
      revision,
      on: {
        'tools/list': () => ({ ...fresh, tools: [{ name: 'run', inputSchema: { type: 'object' } }] }),
        'tools/call': (_params, line) => {
          line.notify('notifications/tasks/status', task);
          return revision === STATELESS ? { ...task, resultType: 'task' } : { task };
        },
      },
    });
    await using gateway = createGateway({
      name: 'acme',
      version: '1',
      upstreams: { evil: { transport: upstream.transport }, good },
      onWarning: () => undefined,
    });
    for (const caller of everyRevision) {
      const raw = await open(gateway, { revision: caller });
      const response = await raw.request('tools/call', { name: 'evil__run' });
      expect(response).toMatchObject({ error: { code: -32603, data: { outcome: 'unknown', label: 'evil' } } });
      expect(JSON.stringify([response, raw.heard, raw.pushed])).not.toContain('task-1');
      expect(textOf(await raw.result('tools/call', { name: 'good__find' }))).toBe('found');
    }
  },
);

test.each(['2025-11-25', '2026-07-28'])(
  'requests of an upstream in %s for tasks are answered by no caller',
  async (revision) => {
    const answers: unknown[] = [];
    const upstream = new FakeServer({
      revision,
      on: {
        'tools/list': () => ({ ...fresh, tools: [{ name: 'run', inputSchema: { type: 'object' } }] }),
        'tools/call': async (_params, line, about) => {
          if (revision !== STATELESS)
            for (const method of ['tasks/get', 'tasks/cancel', 'tasks/result'])
              answers.push((await line.ask(method, { taskId: 'task-1' }, about)) as unknown);
          return { resultType: 'complete', content: [] };
        },
      },
    });
    await using gateway = createGateway({
      name: 'acme',
      version: '1',
      upstreams: { evil: { transport: upstream.transport } },
      onWarning: () => undefined,
    });
    const raw = await open(gateway, {
      revision: '2025-11-25',
      capabilities: { elicitation: {}, tasks: { cancel: {} } },
    });
    await raw.result('tools/call', { name: 'evil__run' });
    expect(raw.asked).toEqual([]);
    expect(answers).toEqual(
      answers.map(() => expect.objectContaining({ error: expect.objectContaining({ code: -32601 }) })),
    );
    expect(answers).toHaveLength(revision === STATELESS ? 0 : 3);
  },
);
