import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { type Handler, silence } from '../../test/support/fake-server.ts';
import { settled } from '../../test/support/held-clock.ts';
import { HANDSHAKE, opened, STATELESS } from '../../test/support/opened.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError, RpcError } from '../errors.ts';
import { isObject, isRequest, type JsonObject, type RpcRequest } from '../jsonrpc/message.ts';
import { CLIENT_CAPABILITIES } from '../model/names.ts';
import type { Layer } from '../peer/exchange.ts';
import type { ConnectOptions } from './options.ts';

const done: Handler = () => ({ content: [] });
const tokenIn = (params: JsonObject | undefined): unknown =>
  isObject(params?.['_meta']) ? params['_meta']['progressToken'] : undefined;

/** A call that stays open until the test ends it. */
function held(): { call: Handler; request(): RpcRequest; answer(): void } {
  let seen: RpcRequest | undefined;
  let resolve = (_result: JsonObject): void => undefined;
  return {
    call: (_params, _line, request) => {
      seen = request;
      return new Promise((yes) => {
        resolve = yes;
      });
    },
    request: () => seen as RpcRequest, // the test waits until it is there
    answer: () => resolve({ content: [] }),
  };
}

describe('a request', () => {
  test('a request carries the introduction only in revisions without a handshake', async () => {
    verifies('LIFE-026', 'LIFE-027', 'LIFE-028', 'ROOT-2', 'SAMP-2', 'ELIC-2');
    const handlers = {
      elicit: { form: () => ({ action: 'cancel' as const }), url: () => ({ action: 'cancel' as const }) },
      sample: { create: () => 'declined' as const, tools: true as const },
      roots: [],
    };
    const fake = { on: { 'tools/call': done } };
    await using stateless = await opened({ ...fake, revision: STATELESS }, handlers);
    await stateless.client.call('t');
    expect(stateless.server.params('tools/call')[0]?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/protocolVersion': STATELESS,
      'io.modelcontextprotocol/clientInfo': { name: 'mooring-client' },
      'io.modelcontextprotocol/clientCapabilities': {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {} },
        roots: {},
      },
    });
    await using session = await opened({ ...fake, revision: HANDSHAKE }, handlers);
    await session.client.call('t');
    expect(Object.keys(session.server.params('tools/call')[0]?.['_meta'] ?? {})).toEqual(['progressToken']);
    verifies('ROOT-1', 'SAMP-1', 'SAMP-9', 'ELIC-1');
    expect(session.server.params('initialize')[0]?.['capabilities']).toEqual({
      elicitation: { form: {}, url: {} },
      sampling: { tools: {} },
      roots: { listChanged: true },
    });
  });

  test.each([HANDSHAKE, STATELESS])(
    'a request declares elicitation only with a form or URL handler, in %s',
    async (revision) => {
      verifies('ELIC-4');
      const declared = async (elicit: NonNullable<ConnectOptions['elicit']>): Promise<unknown> => {
        await using it = await opened({ on: { 'tools/call': done }, revision }, { elicit });
        await it.client.call('t');
        const sent =
          revision === HANDSHAKE
            ? it.server.params('initialize')[0]?.['capabilities']
            : (it.server.params('tools/call')[0]?.['_meta'] as JsonObject | undefined)?.[CLIENT_CAPABILITIES];
        return (sent as JsonObject)['elicitation']; // capabilities are an object
      };
      expect(await declared({})).toBeUndefined();
      expect(await declared({ required: () => Promise.resolve(true) })).toBeUndefined();
      expect(await declared({ form: () => ({ action: 'cancel' }) })).toEqual({ form: {} });
      expect(await declared({ url: () => ({ action: 'cancel' }) })).toEqual({ url: {} });
    },
  );

  test('every request has a unique id and progress token', async () => {
    verifies('BASE-005', 'BASE-007', 'BASE-008', 'PROGRESS-001', 'PROGRESS-002');
    await using it = await opened({ on: { 'tools/call': done, 'resources/read': () => ({ contents: [] }) } });
    await Promise.all([it.client.call('a'), it.client.call('b'), it.client.read('x:y')]);
    const requests = it.server.heard.filter(isRequest).filter(({ method }) => method !== 'server/discover');
    expect(new Set(requests.map(({ id }) => id)).size).toBe(3);
    expect(new Set(requests.map(({ params }) => tokenIn(params))).size).toBe(3);
    expect(requests.every(({ params }) => Number.isInteger(tokenIn(params)))).toBe(true);
  });

  test('a request carries _meta of the caller, but rejects reserved and malformed keys', async () => {
    verifies('BASE-043', 'BASE-044', 'BASE-046', 'BASE-047', 'BASE-048', 'BASE-049');
    await using it = await opened({ on: { 'tools/call': done } });
    await it.client.call('t', {}, { meta: { 'com.example/trace': 1, plain: 2 } });
    expect(it.server.params('tools/call')[0]?.['_meta']).toMatchObject({ 'com.example/trace': 1, plain: 2 });
    const wrong = [
      'progressToken',
      'io.modelcontextprotocol/clientInfo',
      'mcp.dev/x',
      'dev.mcp/x',
      '1/x',
      'a-/x',
      'a/-x',
    ];
    for (const key of wrong)
      await expect(it.client.call('t', {}, { meta: { [key]: 1 } })).rejects.toMatchObject({
        code: 'MCP_BAD_DEFINITION',
      });
    expect(it.server.params('tools/call')).toHaveLength(1);
  });

  test('a request carries valid W3C trace context in _meta', async () => {
    verifies('BASE-050');
    await using it = await opened({ on: { 'tools/call': done } });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const trace = { traceparent, tracestate: 'a=1,b@c=2', baggage: 'user=ada' };
    await it.client.call('t', {}, { meta: trace });
    expect(it.server.params('tools/call')[0]?.['_meta']).toMatchObject(trace);
    for (const meta of [
      { tracestate: 'vendor=a b/c:d, 0tenant@sys=x,,' },
      { baggage: 'user=ada%20l ; kind = none , a=b=c;flag;k=v' },
    ]) {
      await it.client.call('t', {}, { meta });
      expect(it.server.params('tools/call').at(-1)?.['_meta']).toMatchObject(meta);
    }
    const [id, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
    for (const meta of [
      { traceparent: '00-a-b-01' },
      { traceparent: traceparent.toUpperCase() },
      { traceparent: `00-${'0'.repeat(32)}-${parent}-01` },
      { traceparent: `00-${id}-${'0'.repeat(16)}-01` },
      { traceparent: `ff-${id}-${parent}-01` },
      { tracestate: 'a' },
      { tracestate: 'A=1' },
      { tracestate: 'a=é' },
      { tracestate: Array.from({ length: 33 }, (_, i) => `k${i}=1`).join() },
      { baggage: 7 },
      { baggage: 'a b=1' },
      { baggage: 'a=b c' },
      { baggage: 'a="b"' },
      { baggage: 'a' },
    ])
      await expect(it.client.call('t', {}, { meta }), JSON.stringify(meta)).rejects.toThrow(
        'not valid W3C Trace Context',
      );
  });

  test('request() keeps _meta in the params', async () => {
    await using it = await opened({ on: { 'tools/call': done } });
    await it.client.request('tools/call', { name: 't', _meta: { 'com.example/x': 1, progressToken: 'mine' } });
    const meta = it.server.params('tools/call')[0]?.['_meta'];
    expect(meta).toMatchObject({ 'com.example/x': 1, 'io.modelcontextprotocol/protocolVersion': STATELESS });
    expect(meta).not.toMatchObject({ progressToken: 'mine' });
  });

  test('a request for an undeclared capability rejects with MCP_NOT_OFFERED without being sent', async () => {
    verifies('LIFE-015', 'LIFE-016', 'LIFE-018', 'PROMPT-18', 'HOST-15');
    await using it = await opened({ capabilities: { tools: {} } });
    const refused = { code: 'MCP_NOT_OFFERED' };
    await expect(it.client.read('x:y')).rejects.toMatchObject(refused);
    await expect(it.client.getPrompt('p')).rejects.toMatchObject(refused);
    await expect(it.client.list('prompts').all()).rejects.toMatchObject(refused);
    await expect(it.client.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' })).rejects.toMatchObject(
      refused,
    );
    await expect(it.client.request('resources/list')).rejects.toMatchObject(refused);
    expect(it.server.methods).toEqual(['server/discover']);
  });

  test('a request that is not serializable as JSON rejects with the reason', async () => {
    await using it = await opened();
    await expect(it.client.call('t', { n: 1n })).rejects.toThrow(TypeError);
  });

  test('an error of the server rejects as RpcError, unlike local failures', async () => {
    verifies('BASE-041');
    await using it = await opened({ on: { 'tools/call': () => new RpcError(-32602, 'Unknown tool', { name: 't' }) } });
    await expect(it.client.call('t')).rejects.toMatchObject({ name: 'RpcError', code: -32602, data: { name: 't' } });
  });
});

describe('time', () => {
  test('a signal cancels a request, and the server is notified', async () => {
    verifies('LIFE-021', 'LIFE-022', 'TOOL-57', 'STDIO-015', 'CANCEL-013', 'CANCEL-015', 'CANCEL-005');
    await using it = await opened({ on: { 'tools/call': () => silence } });
    const call = it.client.call('t');
    call.catch(() => undefined);
    await it.clock.advance(59_999);
    expect(it.server.methods).not.toContain('notifications/cancelled');
    await it.clock.advance(1);
    await expect(call).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 60_000 } });
    await expect(call).rejects.toThrow(/timeoutMs is 60000 .*maxTimeoutMs is 600000/);
    const id = it.server.heard.filter(isRequest).at(-1)?.id;
    expect(it.server.params('notifications/cancelled')).toEqual([{ requestId: id, reason: expect.any(String) }]);
  });

  test('timeoutMs can be set per request', async () => {
    verifies('LIFE-023');
    await using it = await opened({ on: { 'tools/call': () => silence } });
    const call = it.client.call('t', {}, { timeoutMs: 5 });
    call.catch(() => undefined);
    await it.clock.advance(5);
    await expect(call).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 5 } });
  });

  test('each report of progress restarts the timeout, up to a limit', async () => {
    verifies('LIFE-024', 'LIFE-025');
    const { call, request } = held();
    await using it = await opened({ on: { 'tools/call': call } });
    const calling = it.client.call('t', {}, { timeoutMs: 100, maxTimeoutMs: 250 });
    calling.catch(() => undefined);
    await it.clock.advance(90);
    it.server.line.progress(request(), { progress: 1 });
    await it.clock.advance(90);
    it.server.line.progress(request(), { progress: 2 });
    await it.clock.advance(69);
    expect(it.server.methods).not.toContain('notifications/cancelled');
    await it.clock.advance(1);
    await expect(calling).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 250 } });
  });

  test('progress that does not grow does not restart the timeout', async () => {
    const { call, request } = held();
    await using it = await opened({ on: { 'tools/call': call } });
    const calling = it.client.call('t', {}, { timeoutMs: 100 });
    calling.catch(() => undefined);
    await it.clock.advance(50);
    it.server.line.progress(request(), { progress: 1 });
    await it.clock.advance(90);
    it.server.line.progress(request(), { progress: 1 });
    await it.clock.advance(10);
    await expect(calling).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
  });

  test('the timeout is paused while the user answers a question', async () => {
    let decide = (_action: 'accept'): void => undefined;
    const decision = new Promise<'accept'>((resolve) => {
      decide = resolve;
    });
    const ask: Handler = async (_params, line) => {
      await line.ask('elicitation/create', { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } });
      return { content: [] };
    };
    const elicit = async (): Promise<{ action: 'accept' }> => ({ action: await decision });
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/call': ask } }, { elicit });
    const calling = it.client.call('t');
    await it.clock.advance(200_000);
    decide('accept');
    await expect(calling).resolves.toMatchObject({ content: [] });
  });

  test('the timeout is not paused for a question that the server has cancelled, whatever its handler does', async () => {
    const never: ConnectOptions['elicit'] = () => new Promise(() => undefined);
    await using it = await opened({ revision: HANDSHAKE, on: { 'tools/call': () => silence } }, { elicit: never });
    const form = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
    it.server.line.say({ jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params: form });
    await settled();
    it.server.line.notify('notifications/cancelled', { requestId: 'q' });
    const calling = it.client.call('t');
    calling.catch(() => undefined);
    await it.clock.advance(60_000);
    await expect(Promise.race([calling, Promise.resolve('open')])).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
    expect(it.warnings).toEqual([]);
  });
});

test('open requests end normally when a later one finds out that the server was replaced', async () => {
  const { call, answer } = held();
  let replacements = 1;
  const list: Handler = () => (replacements-- > 0 ? new RpcError(-32022, 'Unsupported') : { tools: [] });
  await using it = await opened({ on: { 'tools/call': call, 'tools/list': list } });
  const calling = it.client.call('t');
  await settled();
  const [line] = it.server.lines;
  expect(await it.client.list('tools').all()).toEqual([]);
  expect(it.server.lines).toHaveLength(2);
  let isClosed = false;
  void line?.closed.then(() => {
    isClosed = true;
  });
  await settled();
  expect(isClosed).toBe(false);
  answer();
  await expect(calling).resolves.toMatchObject({ content: [] });
  await settled();
  expect(isClosed).toBe(true);
});

test('a read that is rejected with an HTTP status leaves the connection to the other requests', async () => {
  const details = { url: 'https://a.example', method: 'resources/read', status: 404, body: '', guess: '' };
  const rejecting: Layer = (next) => (message, link) =>
    'method' in message && message.method === 'resources/read'
      ? Promise.reject(new McpError('MCP_HTTP_REFUSED', details))
      : next(message, link);
  await using it = await opened({ on: { 'tools/call': done } }, { layers: [rejecting] });
  await expect(it.client.read('a:b')).rejects.toMatchObject({ code: 'MCP_HTTP_REFUSED' });
  await it.client.call('t');
  expect(it.server.lines).toHaveLength(1);
});

describe('a question of the server while several requests are open', () => {
  const question = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } };
  const answerOf = (name: string, asked: string[]) => async (): Promise<JsonObject> => {
    asked.push(name);
    return { action: 'decline' };
  };
  /** Opens one call for each name. Their handlers note the name; without a name, the handlers of the client answer. */
  async function withOpenCalls(names: readonly (string | undefined)[]) {
    const requests: RpcRequest[] = [];
    const hold: Handler = (_params, _line, request) => {
      requests.push(request);
      return silence;
    };
    const asked: string[] = [];
    const elicit = (): { action: 'cancel' } => {
      asked.push('client');
      return { action: 'cancel' };
    };
    const it = await opened({ revision: HANDSHAKE, on: { 'tools/call': hold } }, { elicit });
    for (const name of names) {
      const own = name === undefined ? {} : { ask: answerOf(name, asked) };
      it.client.request('tools/call', { name: 't' }, own).catch(() => undefined);
    }
    await settled();
    const { line } = it.server;
    const ask = (about?: RpcRequest) => line.ask('elicitation/create', question, about);
    return { ask, requests, asked, line, [Symbol.asyncDispose]: () => it.client.close() };
  }

  test('a question on the stream of a request that has been answered is not asked of another request', async () => {
    await using it = await withOpenCalls(['ada', 'bob']);
    const [ada] = it.requests;
    it.line.say({ jsonrpc: '2.0', id: ada?.id, result: { content: [] } }, ada);
    await settled();
    expect(await it.ask(ada)).toMatchObject({ result: { action: 'cancel' } });
    expect(it.asked).toEqual(['client']);
    expect(await it.ask()).toMatchObject({ result: { action: 'decline' } });
    expect(it.asked).toEqual(['client', 'bob']);
  });

  test('a question on the stream of a request is answered by that request alone', async () => {
    await using it = await withOpenCalls(['ada', 'bob', undefined]);
    const [ada, bob, other] = it.requests;
    expect(await it.ask(bob)).toMatchObject({ result: { action: 'decline' } });
    expect(it.asked).toEqual(['bob']);
    await it.ask(ada);
    expect(it.asked).toEqual(['bob', 'ada']);
    expect(await it.ask(other)).toMatchObject({ result: { action: 'cancel' } });
    expect(it.asked).toEqual(['bob', 'ada', 'client']);
  });

  test.each([[['ada', 'bob']], [['ada', undefined]]])(
    'a question that names none of %j is answered by none of them',
    async (names) => {
      await using it = await withOpenCalls(names);
      expect(await it.ask()).toMatchObject({ error: { code: -32603 } });
      expect(it.asked).toEqual([]);
    },
  );

  test('a question that names no request is answered by the only one that is open', async () => {
    await using it = await withOpenCalls(['ada']);
    expect(await it.ask()).toMatchObject({ result: { action: 'decline' } });
    expect(it.asked).toEqual(['ada']);
  });

  test('requests without answers of their own leave every question to the client', async () => {
    await using it = await withOpenCalls([undefined, undefined]);
    expect(await it.ask()).toMatchObject({ result: { action: 'cancel' } });
    expect(it.asked).toEqual(['client']);
  });
});

describe('progress', () => {
  test('progress reaches onProgress only if it increases, and never after the response', async () => {
    verifies('PROGRESS-003', 'PROGRESS-004', 'PROGRESS-008', 'SEED-17');
    const { call, request, answer } = held();
    await using it = await opened({ on: { 'tools/call': call } });
    const seen: unknown[] = [];
    const calling = it.client.call('t', {}, { onProgress: (progress) => seen.push(progress) });
    await settled();
    const { line } = it.server;
    line.progress(request(), { progress: 0.5, total: 2, message: 'half' });
    line.progress(request(), { progress: 0.5 });
    line.progress(request(), { progress: 0.4 });
    line.progress(request(), { progress: 'lots' });
    line.notify('notifications/progress', { progress: 1 });
    line.notify('notifications/progress', { progressToken: 'other', progress: 1 });
    line.progress(request(), { progress: 1 });
    answer();
    await calling;
    line.progress(request(), { progress: 2 });
    await settled();
    expect(seen).toEqual([{ progress: 0.5, total: 2, message: 'half' }, { progress: 1 }]);
  });

  test('an exception in onProgress does not fail the call', async () => {
    const { call, request, answer } = held();
    await using it = await opened({ on: { 'tools/call': call } });
    const onProgress = (): never => {
      throw new Error('oops');
    };
    const calling = it.client.call('t', {}, { onProgress });
    await settled();
    it.server.line.progress(request(), { progress: 1 });
    answer();
    await expect(calling).resolves.toMatchObject({ text: '' });
    expect(it.warnings).toEqual(['onProgress threw Error: oops']);
  });
});

describe('an aborted signal', () => {
  test('a request with an aborted signal is not sent', async () => {
    await using it = await opened();
    const signal = AbortSignal.abort(new Error('changed my mind'));
    await expect(it.client.call('t', {}, { signal })).rejects.toMatchObject({
      code: 'MCP_CANCELLED',
      message: 'tools/call was cancelled: changed my mind',
    });
    expect(it.server.methods).toEqual(['server/discover']);
  });

  test('aborting the signal cancels the request, and a late response is ignored', async () => {
    verifies('CANCEL-008', 'CANCEL-009', 'CANCEL-001', 'CANCEL-002');
    const { call, answer } = held();
    await using it = await opened({ on: { 'tools/call': call } });
    const stop = new AbortController();
    const calling = it.client.call('t', {}, { signal: stop.signal });
    calling.catch(() => undefined);
    await settled();
    stop.abort();
    answer();
    await expect(calling).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    await settled();
    expect(it.server.params('notifications/cancelled')).toHaveLength(1);
    expect(it.client.state).toBe('ready');
  });

  test('twenty calls and watches with one signal add one listener to it, and none when they have ended', async () => {
    await using it = await opened({ revision: STATELESS, on: { 'tools/call': () => silence } });
    const stop = new AbortController();
    const { signal } = stop;
    const calling = Array.from({ length: 20 }, () => it.client.call('t', {}, { signal }).catch(() => 'cancelled'));
    const watches = Array.from({ length: 20 }, () => it.client.watch({ tools: true }, { signal }));
    expect(getEventListeners(signal, 'abort').length).toBe(1);
    stop.abort();
    expect(new Set(await Promise.all(calling))).toEqual(new Set(['cancelled']));
    for (const watch of watches) for await (const change of watch) expect(change).toBe('none');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('aborting the signal after the response does nothing', async () => {
    verifies('CANCEL-001');
    await using it = await opened({ on: { 'tools/call': done } });
    const stop = new AbortController();
    await it.client.call('t', {}, { signal: stop.signal });
    stop.abort();
    await settled();
    expect(it.server.methods).not.toContain('notifications/cancelled');
  });
});

describe('a request for another side', () => {
  const cancellable = () => {
    const listeners: ((reason: unknown) => void)[] = [];
    const link = {
      get signal(): AbortSignal {
        throw new Error('A signal is not needed here');
      },
      onAbort: (listener: (reason: unknown) => void) => void listeners.push(listener),
    };
    const cancel = (): void => {
      for (const listener of listeners) listener(new Error('they hung up'));
    };
    return { link, cancel };
  };
  const why = { code: 'MCP_CANCELLED', message: 'tools/call was cancelled: they hung up' };
  /** The option `link` is internal, so the public type lacks it. */
  const optionsFor = (link: object) => ({ signal: undefined, link });

  test('a request with a link is cancelled with the link, without creating an AbortSignal', async () => {
    const { link, cancel } = cancellable();
    await using it = await opened({ on: { 'tools/call': () => silence } });
    const calling = it.client.request('tools/call', { name: 't' }, optionsFor(link));
    calling.catch(() => undefined);
    await settled();
    cancel();
    await expect(calling).rejects.toMatchObject(why);
    expect(it.server.params('notifications/cancelled')).toHaveLength(1);
  });

  test('a request with a cancelled link is not sent', async () => {
    await using it = await opened();
    const link = { onAbort: (listener: (reason: unknown) => void) => listener(new Error('they hung up')) };
    await expect(it.client.request('tools/call', { name: 't' }, optionsFor(link))).rejects.toMatchObject(why);
    await settled();
    expect(it.server.methods).toEqual(['server/discover']);
  });

  test('cancelling the link after the response does nothing', async () => {
    const { link, cancel } = cancellable();
    await using it = await opened({ on: { 'tools/call': done } });
    await it.client.request('tools/call', { name: 't' }, optionsFor(link));
    cancel();
    await settled();
    expect(it.server.methods).not.toContain('notifications/cancelled');
  });
});
