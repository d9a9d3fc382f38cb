import { describe, expect, test } from 'vitest';
import { type Handler, silence } from '../../../test/support/fake-server.ts';
import { at, callSent, done, inTurn, loaded, within } from '../../../test/support/fake-tasks.ts';
import { HANDSHAKE, opened } from '../../../test/support/opened.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { CANCELLED } from '../../model/names.ts';
import { Deferred } from '../../peer/wait.ts';
import type { ConnectOptions } from '../options.ts';

describe('a task of 2025-11-25', () => {
  const task = (more: JsonObject = {}): JsonObject => ({
    ...{ taskId: 't-1', status: 'working', createdAt: at(0), lastUpdatedAt: at(0), ttl: 60_000, pollInterval: 500 },
    ...more,
  });
  const tool = (name: string, taskSupport?: string): JsonObject => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport === undefined ? {} : { execution: { taskSupport } }),
  });
  const tools = [tool('must', 'required'), tool('can', 'optional'), tool('never', 'forbidden'), tool('plain')];
  const related = (taskId = 't-1'): JsonObject => ({ 'io.modelcontextprotocol/related-task': { taskId } });
  const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
  const augmented = (
    more: Record<string, Handler> = {},
    options: ConnectOptions = {},
    declared: JsonObject = capabilities,
  ) =>
    loaded(
      opened(
        {
          revision: HANDSHAKE,
          capabilities: declared,
          on: {
            'tools/list': () => ({ tools }),
            'tools/call': (params) => (params['task'] === undefined ? done('plain') : { task: task() }),
            'tasks/get': () => task(),
            'tasks/cancel': () => task({ status: 'cancelled' }),
            'tasks/result': () => ({ ...done(), _meta: related() }),
            ...more,
          },
        },
        { tasks: true, random: () => 0, ...options },
      ),
    );

  test('the client requests a task if the tool requires one, or for start() if the tool supports one', async () => {
    verifies('TASK-2', 'TASK-5', 'TASK-7');
    await using it = await augmented();
    const call = async (name: string): Promise<string> => (await it.client.call(name)).text;
    expect(await Promise.all(['must', 'can', 'never', 'plain'].map(call))).toEqual([
      'rendered',
      'plain',
      'plain',
      'plain',
    ]);
    const start = async (name: string): Promise<[string, string | undefined]> => {
      const one = await it.client.start(name);
      return [(await one.result()).text, one.ticket?.taskId];
    };
    expect(await Promise.all(['must', 'can', 'never', 'plain'].map(start))).toEqual([
      ['rendered', 't-1'],
      ['rendered', 't-1'],
      ['plain', undefined],
      ['plain', undefined],
    ]);
    expect(it.server.params('tools/list')).toHaveLength(1);
  });

  test('the client never requests a task if the server does not declare tasks, and warns once about start()', async () => {
    verifies('TASK-3', 'TASK-4');
    await using it = await augmented({}, {}, { tools: {}, tasks: { list: {} } });
    expect((await it.client.call('must')).text).toBe('plain');
    expect(it.warnings).toEqual([]);
    expect((await it.client.start('can')).ticket).toBeUndefined();
    expect((await it.client.start('can')).ticket).toBeUndefined();
    expect(it.warnings).toEqual([
      'The server does not offer tasks, so client.start() makes ordinary calls: they have no ticket, and end with the connection. In Mooring, pass "tasks" to createServer()',
    ]);
    expect(it.server.params('tools/call').map(({ task: wish }) => wish)).toEqual([undefined, undefined, undefined]);
  });

  test('the progress of a call that is no task reaches the readers of its states and onProgress', async () => {
    const call: Handler = (_, line, request) => {
      line.progress(request, { progress: 1, total: 2, message: 'half' });
      return done('plain');
    };
    await using it = await augmented({ 'tools/call': call });
    const seen: unknown[] = [];
    const started = await it.client.start('plain', {}, { onProgress: (progress) => void seen.push(progress) });
    const states: unknown[] = [];
    for await (const state of started.states()) states.push(state);
    expect(seen).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    expect(states.at(-1)).toEqual({ status: 'completed' });
  });

  test('the client sends tasks/result at once, and polls the task meanwhile', async () => {
    verifies('TASK-20', 'TASK-24', 'TASK-25', 'TASK-32', 'TASK-33');
    let finish: (result: JsonObject) => void = () => undefined;
    const pending = new Promise<JsonObject>((resolve) => {
      finish = resolve;
    });
    const seen: unknown[] = [];
    await using it = await augmented({
      'tasks/get': inTurn(task(), task({ statusMessage: 'half', lastUpdatedAt: at(1) })),
      'tasks/result': () => pending,
    });
    const call = it.client.call('must', {}, { onProgress: (one) => void seen.push(one) });
    await callSent(it);
    expect(it.server.params('tasks/result')).toMatchObject([{ taskId: 't-1' }]);
    // A notification alone does not end the task.
    it.server.line.notify('notifications/tasks/status', task({ status: 'completed' }));
    await it.clock.advance(500);
    await it.clock.advance(500);
    expect(it.server.params('tasks/get')).toHaveLength(2);
    expect(seen).toContainEqual(expect.objectContaining({ message: 'half' }));
    finish({ ...done(), _meta: related() });
    expect((await call).text).toBe('rendered');
  });

  test('the client sends tasks/result again after the connection is lost', async () => {
    let opens = 0;
    const result: Handler = (_, line) => {
      if (++opens > 1) return { ...done(), _meta: related() };
      line.die();
      return silence;
    };
    await using it = await augmented({ 'tasks/result': result });
    expect((await within(it, it.client.call('must'), 30_000)).text).toBe('rendered');
    expect(opens).toBe(2);
  });

  test('the client sends tasks/result again however often a long task outlives its connection', async () => {
    let opens = 0;
    const result: Handler = () => (++opens > 4 ? { ...done(), _meta: related() } : silence);
    const long = task({ ttl: 24 * 3_600_000 });
    await using it = await augmented({
      'tools/call': () => ({ task: long }),
      'tasks/get': () => long,
      'tasks/result': result,
    });
    const call = it.client.call('must');
    await callSent(it);
    for (let losses = 0; losses < 4; losses++) {
      for (let minutes = 0; minutes < 10; minutes++) await it.clock.advance(60_000);
      it.server.line.die();
      await it.clock.advance(5_000);
    }
    expect((await within(it, call, 30_000)).text).toBe('rendered');
    expect(opens).toBe(5);
  });

  test('a task still has its result after a reader of its states left when it had ended', async () => {
    const rendered = new Deferred<JsonObject>();
    await using it = await augmented({
      'tasks/get': () => task({ status: 'completed' }),
      'tasks/result': () => rendered.promise,
    });
    const started = await it.client.start('must');
    const left = async (): Promise<string> => {
      for await (const { status } of started.states()) if (status === 'completed') return status;
      return 'never';
    };
    expect(await within(it, left(), 5_000)).toBe('completed');
    rendered.resolve({ ...done(), _meta: related() });
    expect((await within(it, started.result(), 5_000)).text).toBe('rendered');
    expect((await started.result()).text).toBe('rendered');
  });

  test('the client rejects the result of another task', async () => {
    await using it = await augmented({ 'tasks/result': () => ({ ...done(), _meta: related('t-2') }) });
    await expect(it.client.call('must')).rejects.toThrow(/it is the result of another task/);
  });

  test('cancel() sends tasks/cancel', async () => {
    verifies('TASK-43', 'CANCEL-004');
    await using it = await augmented({ 'tasks/result': () => silence });
    const stop = new AbortController();
    const call = it.client.call('must', {}, { signal: stop.signal });
    await callSent(it);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(it.server.params('tasks/cancel')).toMatchObject([{ taskId: 't-1' }]);
    const calls = it.server.heard.filter((message) => 'method' in message && message.method === 'tools/call');
    const named = it.server.params(CANCELLED).map(({ requestId }) => requestId);
    expect(calls.map((message) => 'id' in message && named.includes(message.id))).toEqual([false]);
  });

  test('cancel() of a task that has ended does not fail', async () => {
    verifies('TASK-42');
    await using it = await augmented({
      'tasks/cancel': () => new RpcError(INVALID_PARAMS, 'already over'),
      'tasks/get': () => task({ status: 'completed' }),
    });
    await (await it.client.start('must')).cancel();
    await using gone = await augmented({
      'tasks/cancel': () => new RpcError(INVALID_PARAMS, 'unknown'),
      'tasks/get': () => new RpcError(INVALID_PARAMS, 'unknown'),
    });
    await expect((await gone.client.start('must')).cancel()).rejects.toThrow('unknown');
  });

  test('a task rejects with the error of the call, or with MCP_CANCELLED', async () => {
    await using failed = await augmented({ 'tasks/result': () => new RpcError(-32000, 'no farm') });
    await expect(failed.client.call('must')).rejects.toMatchObject({ name: 'RpcError', message: 'no farm' });
    await using stopped = await augmented({
      'tasks/result': () => new RpcError(-32603, 'gone'),
      'tasks/get': () => task({ status: 'cancelled' }),
    });
    await expect(stopped.client.call('must')).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
  });
});
