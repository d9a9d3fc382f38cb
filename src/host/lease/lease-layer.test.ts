import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { FakeServer, type Handler } from '../../../test/support/fake-server.ts';
import { link } from '../../../test/support/wire.ts';
import type { Client } from '../../client/client.ts';
import type { ConnectOptions } from '../../client/index.ts';
import { openClient } from '../../client/open-client.ts';
import { RpcError } from '../../errors.ts';
import { type JsonObject, notification, type RpcResponse, request, success } from '../../jsonrpc/message.ts';
import { type Connection, type Exchange, linkWith } from '../../peer/exchange.ts';
import { revisions } from '../../revisions/index.ts';
import type { Act } from '../act/act.ts';
import { GateKeeper } from '../gate/gate-keeper.ts';
import { rules } from '../policy/rules.ts';
import { answerLayer, leaseLayer, leaseTransport } from './lease-layer.ts';
import { Leases } from './leases.ts';

const everyRevision = revisions.map(({ id }) => id);
const [newest = '', handshaking = ''] = everyRevision;

interface Guarded {
  readonly gate: GateKeeper;
  readonly server: FakeServer;
  readonly client: Client;
  /** All messages except those that open a connection. */
  readonly heard: () => string[];
}

const lifecycle = ['initialize', 'notifications/initialized', 'server/discover'];

async function open(
  on: Record<string, Handler> = {},
  options: ConnectOptions = {},
): Promise<Guarded & AsyncDisposable> {
  const [revision = newest] = options.revisions ?? [];
  const server = new FakeServer({ revision, on });
  const gate = new GateKeeper({ policy: [rules.allow({})] });
  const transport = leaseTransport(server.transport, 'files', gate.leases);
  const client = await gate.pass(act({ kind: 'connect', name: 'fake' }), () =>
    openClient<unknown>(transport, { revisions: [revision], ...options }),
  );
  const heard = (): string[] => server.methods.filter((method) => !lifecycle.includes(method));
  return { gate, server, client, heard, [Symbol.asyncDispose]: () => client.close() };
}

const text = (said: string): JsonObject => ({ resultType: 'complete', content: [{ type: 'text', text: said }] });
const called = (name: string, args: JsonObject = {}): Act => act({ name, arguments: args });

describe('opening', () => {
  test('a server without a lease is not connected', async () => {
    const server = new FakeServer({ revision: newest });
    const { leases } = new GateKeeper({ policy: [] });
    await expect(openClient(leaseTransport(server.transport, 'files', leases), {})).rejects.toMatchObject({
      code: 'MCP_DENIED',
    });
    expect(server.lines).toEqual([]);
  });

  test('a lease of one server opens no other', async () => {
    const { gate, server } = await open();
    const transport = leaseTransport(server.transport, 'mail', gate.leases);
    await expect(transport(async () => undefined, {})).rejects.toMatchObject({ code: 'MCP_DENIED' });
  });

  test('an opening that fails leaves nothing open', async () => {
    const gate = new GateKeeper({ policy: [rules.allow({})] });
    const failing = gate.pass(act({ kind: 'spawn' }), () => Promise.reject(new Error('no such command')));
    await expect(failing).rejects.toThrow('no such command');
    const why = 'x to files was denied: no permitted action has opened this server (rule: none; act none)';
    expect(() => gate.leases.requireOpen('files', 'x')).toThrow(why);
  });

  test('a server that is ended loses its connections, and gets nothing more', async () => {
    const { gate, client, server, heard } = await open({ 'tools/call': () => text('late') });
    const before = heard().length;
    gate.leases.endServer('files');
    await server.line.closed;
    const calling = gate.pass(called('x'), () => client.call('x'));
    await expect(calling).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(heard()).toHaveLength(before);
  });
});

describe.each(everyRevision)('using a server, in %s', (revision) => {
  const results: Record<string, Handler> = {
    'tools/call': () => text('called'),
    'resources/read': () => ({ resultType: 'complete', contents: [], ttlMs: 0, cacheScope: 'private' }),
    'prompts/get': () => ({ resultType: 'complete', messages: [] }),
    'completion/complete': () => ({ resultType: 'complete', completion: { values: [] } }),
    ping: () => ({}),
    'tools/list': () => ({ resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }),
  };

  test('each request needs an act with its name and its arguments', async () => {
    await using at = await open(results, { revisions: [revision] });
    const { gate, client, heard } = at;
    const argument = { name: 'id', value: 'a' };
    const context = { arguments: { x: 'y' } };
    const uses: [Act, () => Promise<unknown>][] = [
      [called('add', { a: 1, b: { c: 2 } }), () => client.call('add', { b: { c: 2 }, a: 1 })],
      [called('plain'), () => client.call('plain')],
      [act({ kind: 'resource', name: 'a://b', arguments: {} }), () => client.read('a://b')],
      [act({ kind: 'prompt', name: 'p', arguments: { n: 1 } }), () => client.getPrompt('p', { n: '1' })],
      [
        act({ kind: 'completion', name: 'p', arguments: { argument, context } }),
        () => client.complete({ type: 'ref/prompt', name: 'p' }, argument, { context: { x: 'y' } }),
      ],
      [
        act({ kind: 'completion', name: 'a://{id}', arguments: { argument } }),
        () => client.complete({ type: 'ref/resource', uri: 'a://{id}' }, argument),
      ],
    ];
    for (const [allowed, use] of uses) {
      const before = heard().length;
      await expect(use(), allowed.name).rejects.toMatchObject({ code: 'MCP_DENIED' });
      expect(heard()).toHaveLength(before);
      await gate.pass(allowed, use);
      expect(heard()).toHaveLength(before + 1);
    }
    await client.list('tools').all();
    await client.ping();
  });

  test('a request that differs from its act in anything is stopped', async () => {
    await using at = await open(results, { revisions: [revision] });
    const { gate, client, heard } = at;
    const argument = { name: 'id', value: 'a' };
    const prompt = { type: 'ref/prompt', name: 'p' } as const;
    const wrong: [Act, () => Promise<unknown>][] = [
      [called('add', { a: 1 }), () => client.call('add', { a: 2 })],
      [called('add', { a: 1 }), () => client.call('add', { a: 1, b: 2 })],
      [called('add', { a: 1 }), () => client.call('add')],
      [called('add'), () => client.call('remove')],
      [called('add'), () => client.getPrompt('add')],
      [act({ kind: 'prompt', name: 'add', arguments: {} }), () => client.call('add')],
      [act({ kind: 'resource', name: 'a://b', arguments: {} }), () => client.read('a://c')],
      [act({ kind: 'prompt', name: 'p', arguments: { n: 1 } }), () => client.getPrompt('p', { n: '2' })],
      [
        act({ kind: 'completion', name: 'p', arguments: { argument } }),
        () => client.complete(prompt, { ...argument, value: 'b' }),
      ],
      [act({ server: 'mail', name: 'add', arguments: {} }), () => client.call('add')],
      [called('add'), () => client.call('add', {}, { meta: { 'example.test/note': 'psst' } })],
      [called('add'), () => client.request('tools/call', { name: 'add', arguments: {}, extra: 'psst' })],
      [called('add'), () => client.request('example.test/anything')],
      [called('add'), () => client.request('tools/list', { cursor: 'a', extra: 'psst' })],
    ];
    for (const [allowed, use] of wrong)
      await expect(gate.pass(allowed, use)).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(heard()).toEqual([]);
  });

  test('a request passes while its act runs, and once', async () => {
    await using at = await open(results, { revisions: [revision] });
    const { gate, client, heard } = at;
    const late = await gate.pass(called('add'), async () => () => client.call('add'));
    await expect(late()).rejects.toMatchObject({ code: 'MCP_DENIED' });
    const twice = gate.pass(called('add'), async () => [await client.call('add'), await client.call('add')]);
    await expect(twice).rejects.toMatchObject({ code: 'MCP_DENIED' });
    const both = gate.pass(called('add'), () => Promise.all([client.call('add'), client.call('add')]));
    await expect(both).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(heard()).toEqual(['tools/call', 'tools/call']);
  });
});

describe('questions of the server, as requests', () => {
  const ask = (at: Guarded, method: string, params: JsonObject = {}): Promise<unknown> =>
    at.server.line.ask(method, params);
  const form = {
    message: 'Who?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, size: { type: 'string', default: 'M' } },
    },
  };
  const withheld = { error: { code: -32603, message: 'The answer was not permitted' } };

  test('a question gets no answer without permission', async () => {
    const options: ConnectOptions = {
      revisions: [handshaking],
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
      sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' }),
      roots: [{ uri: 'file:///home/ada' }],
    };
    await using at = await open({}, options);
    const sampling = { messages: [], maxTokens: 9 };
    expect(await ask(at, 'elicitation/create', form)).toMatchObject(withheld);
    expect(await ask(at, 'sampling/createMessage', sampling)).toMatchObject(withheld);
    expect(await ask(at, 'roots/list')).toMatchObject(withheld);
    expect(JSON.stringify(at.server.heard)).not.toMatch(/Ada|Hello|home/);
    expect(await ask(at, 'ping')).toMatchObject({ result: {} });
  });

  test('a question gets the answer that was allowed, once, with the defaults of the form', async () => {
    let gate: GateKeeper | undefined;
    const answer = { action: 'accept', content: { name: 'Ada' } } as const;
    const asked = act({ kind: 'elicitation', name: 'Who?', arguments: answer });
    let allowed = true;
    const elicit = async (): Promise<typeof answer> => {
      if (allowed) await gate?.pass(asked, async () => undefined);
      return answer;
    };
    await using at = await open({}, { revisions: [handshaking], elicit });
    gate = at.gate;
    expect(await ask(at, 'elicitation/create', form)).toMatchObject({
      result: { action: 'accept', content: { name: 'Ada', size: 'M' } },
    });
    allowed = false;
    expect(await ask(at, 'elicitation/create', form)).toMatchObject(withheld);
  });

  test('a question gets no other answer than the one that was allowed', async () => {
    let gate: GateKeeper | undefined;
    const elicit = async (): Promise<{ action: 'accept'; content: { name: string } }> => {
      const allowed = { action: 'accept', content: { name: 'Ada' } };
      await gate?.pass(act({ kind: 'elicitation', arguments: allowed }), async () => undefined);
      return { action: 'accept', content: { name: 'Ada Lovelace' } };
    };
    await using at = await open({}, { revisions: [handshaking], elicit });
    gate = at.gate;
    expect(await ask(at, 'elicitation/create', form)).toMatchObject(withheld);
  });

  test('a question can always be declined, in few words', async () => {
    const sample = (): never => {
      throw new RpcError(-1, `No. ${'x'.repeat(1_000)}`, { secret: 'psst' });
    };
    const options: ConnectOptions = { revisions: [handshaking], elicit: () => ({ action: 'decline' }), sample };
    await using at = await open({}, options);
    expect(await ask(at, 'elicitation/create', form)).toMatchObject({ result: { action: 'decline' } });
    await ask(at, 'sampling/createMessage', { messages: [], maxTokens: 9 });
    const last = JSON.stringify(at.server.heard.at(-1));
    expect(last).toContain('"No. xxx');
    expect(last).not.toContain('psst');
    expect(last.length).toBeLessThan(300);
  });
});

describe('questions inside a result', () => {
  const input = {
    name: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Who?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      },
    },
  };
  const curious: Handler = (params) =>
    params['inputResponses'] === undefined
      ? { resultType: 'input_required', inputRequests: input, requestState: 'state-1' }
      : text('thanks');
  const answer = { action: 'accept', content: { name: 'Ada' } } as const;

  test('a question inside a result is answered with permission, and the call continues', async () => {
    let gate: GateKeeper | undefined;
    const elicit = async (): Promise<typeof answer> => {
      await gate?.pass(act({ kind: 'elicitation', arguments: answer }), async () => undefined);
      return answer;
    };
    await using at = await open({ 'tools/call': curious }, { elicit });
    gate = at.gate;
    const { text: said } = await at.gate.pass(called('greet'), () => at.client.call('greet'));
    expect(said).toBe('thanks');
    expect(at.server.params('tools/call')[1]).toMatchObject({
      inputResponses: { name: answer },
      requestState: 'state-1',
    });
  });

  test('a question inside a result is not answered without permission', async () => {
    await using at = await open({ 'tools/call': curious }, { elicit: () => answer });
    const calling = at.gate.pass(called('greet'), () => at.client.call('greet'));
    await expect(calling).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(at.heard()).toEqual(['tools/call']);
    expect(JSON.stringify(at.server.heard)).not.toContain('Ada');
  });

  test.each([
    [{ inputResponses: { name: { action: 'decline' } }, requestState: 'other' }],
    [{ inputResponses: { other: { action: 'decline' } }, requestState: 'state-1' }],
    [{ inputResponses: ['x'], requestState: 'state-1' }],
    [{ inputResponses: { name: { action: 'decline' } } }],
    [{}],
  ])('input that answers no question is stopped: %j', async (extra) => {
    await using at = await open({ 'tools/call': curious });
    const params = { name: 'greet', arguments: {} };
    const calling = at.gate.pass(called('greet'), async () => {
      await at.client.request('tools/call', params);
      await at.client.request('tools/call', { ...params, ...extra });
    });
    await expect(calling).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(at.heard()).toEqual(['tools/call']);
  });

  test('a server can ask in several rounds', async () => {
    let round = 0;
    const insatiable: Handler = () =>
      ++round > 3
        ? text('enough')
        : { resultType: 'input_required', inputRequests: input, requestState: `state-${round}` };
    await using at = await open({ 'tools/call': insatiable }, { elicit: () => ({ action: 'decline' }) });
    expect((await at.gate.pass(called('greet'), () => at.client.call('greet'))).text).toBe('enough');
  });
});

describe('a connection', () => {
  const lineTo = async (at: Guarded): Promise<Connection> =>
    leaseTransport(at.server.transport, 'files', at.gate.leases)(async () => undefined, {});

  test('a connection carries no responses and no notifications that no record allows', async () => {
    await using at = await open();
    const line = await lineTo(at);
    const messages = [
      success(1, { secret: 'psst' }),
      notification('example.test/news', { secret: 'psst' }),
      notification('notifications/cancelled', { requestId: 1, reason: 'psst' }),
      notification('notifications/progress', { progressToken: 1, progress: 1, message: 'psst' }),
      request(1, 'initialize', { protocolVersion: 'x', note: 'psst' }),
    ];
    for (const message of messages)
      await expect(line.exchange(message, link())).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(at.server.line.heard).toEqual([]);
    await line.exchange(notification('notifications/roots/list_changed'), link());
    expect(at.server.line.heard).toHaveLength(1);
    await line.close();
  });

  test('a notification does not pass under an act that allows the request of the same name', async () => {
    await using at = await open();
    const line = await lineTo(at);
    const before = at.server.heard.length;
    const extension = act({ kind: 'extension', name: 'example.test/do', arguments: {} });
    const sending = at.gate.pass(extension, () => line.exchange(notification('example.test/do'), link()));
    await expect(sending).rejects.toMatchObject({ code: 'MCP_DENIED' });
    expect(at.server.heard).toHaveLength(before);
    await line.close();
  });

  test('a connection of a server that was ended carries nothing, not even a ping', async () => {
    await using at = await open();
    const line = await lineTo(at);
    at.gate.leases.endServer('files');
    await line.closed;
    const before = at.server.heard.length;
    for (const message of [request(1, 'ping'), notification('notifications/initialized')])
      await expect(line.exchange(message, link())).rejects.toThrow('no permitted action has opened this server');
    expect(at.server.heard).toHaveLength(before);
  });

  test('a connection that is closed is closed once, and one that cannot be closed harms nothing', async () => {
    const leases = new Leases();
    leases.open(act({ kind: 'connect' }));
    const closings: string[] = [];
    let gone: () => void = () => undefined;
    const first = new Promise<undefined>((resolve) => {
      gone = () => resolve(undefined);
    });
    const transport = (name: string) => async (): Promise<Connection> => ({
      exchange: async () => undefined,
      close: () => {
        closings.push(name);
        return Promise.reject(new Error('it hangs'));
      },
      closed: name === 'first' ? first : new Promise(() => undefined),
    });
    for (const name of ['first', 'second'])
      await leaseTransport(transport(name), 'files', leases)(async () => undefined, {});
    gone();
    await new Promise((resolve) => setImmediate(resolve));
    leases.endServer('files');
    await new Promise((resolve) => setImmediate(resolve));
    expect(closings).toEqual(['second']);
  });

  test('a request of the server that is no question gets an empty answer or none', async () => {
    await using at = await open();
    const answered = async (result: JsonObject, method = 'ping'): Promise<unknown> =>
      answerLayer('files', at.gate.leases)(async () => success(1, result))(request(1, method), link());
    expect(await answered({})).toMatchObject({ result: {} });
    const withheld = { error: { message: 'The answer was not permitted' } };
    expect(await answered({ secret: 'psst' })).toMatchObject(withheld);
    // To a question, an empty answer is an answer.
    for (const method of ['roots/list', 'elicitation/create', 'sampling/createMessage'])
      expect(await answered({}, method)).toMatchObject(withheld);
  });

  test('the server is not told why a call was cancelled', async () => {
    await using at = await open({ 'tools/call': () => new Promise(() => undefined) }, { revisions: [handshaking] });
    const abort = new AbortController();
    const calling = at.gate.pass(called('add'), () => at.client.call('add', {}, { signal: abort.signal }));
    await new Promise((resolve) => setImmediate(resolve));
    abort.abort(new Error('the user found out'));
    await expect(calling).rejects.toThrow('the user found out');
    expect(at.heard()).toContain('notifications/cancelled');
    expect(JSON.stringify(at.server.heard)).not.toContain('found out');
  });

  test('a read on a connection that broke is tried once more', async () => {
    let calls = 0;
    const broken: Handler = (_params, line) => {
      calls++;
      line.die();
      return {};
    };
    await using at = await open({ 'resources/read': broken, 'tools/call': broken });
    const reading = at.gate.pass(act({ kind: 'resource', name: 'a://b' }), () => at.client.read('a://b'));
    await expect(reading).rejects.toMatchObject({ code: 'MCP_OUTCOME_UNKNOWN' });
    expect(calls).toBe(2);
  });
});

test('a question on the stream of a request is answered with permission alone, and silence stays silence', async () => {
  const leases = new Leases();
  leases.open(act({ kind: 'connect' }));
  const ping = request(1, 'ping');
  const asked = async (answer: JsonObject): Promise<RpcResponse> => {
    let heard: RpcResponse | undefined;
    const next: Exchange = async (_message, way) => {
      heard = await way.ask(request('q', 'roots/list'));
      return undefined;
    };
    const own = linkWith(link(), { ask: async () => success('q', answer) });
    expect(await leaseLayer('files', leases)(next)(ping, own)).toBeUndefined();
    return heard ?? success('q', { heard: 'nothing' });
  };
  expect(await asked({ roots: ['a'] })).toMatchObject({ error: { message: 'The answer was not permitted' } });
  leases.open(act({ kind: 'roots', arguments: { roots: ['a'] } }));
  expect(await asked({ roots: ['b'] })).toMatchObject({ error: { message: 'The answer was not permitted' } });
  expect(await asked({ roots: ['a'] })).toMatchObject({ result: { roots: ['a'] } });
  expect(await answerLayer('files', leases)(async () => undefined)(ping, link())).toBeUndefined();
});

test('a server reads 200 characters of an error', async () => {
  const fail = async (): Promise<never> => Promise.reject(new RpcError(-1, 'x'.repeat(300)));
  const answer = await answerLayer('files', new Leases())(fail)(request(1, 'ping'), link());
  expect(answer).toMatchObject({ error: { code: -1, message: 'x'.repeat(200) } });
});
