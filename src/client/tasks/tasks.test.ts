import { describe, expect, test } from 'vitest';
import { FakeServer, type Handler, silence } from '../../../test/support/fake-server.ts';
import {
  asks,
  at,
  callSent,
  elicit,
  ended,
  handle,
  handles,
  inTurn,
  on,
  within,
} from '../../../test/support/fake-tasks.ts';
import { settled } from '../../../test/support/held-clock.ts';
import { opened, STATELESS } from '../../../test/support/opened.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { ACKNOWLEDGED, CANCELLED, LISTEN, SUBSCRIPTION_ID } from '../../model/names.ts';
import type { Transport } from '../../peer/exchange.ts';
import { virtualClock } from '../../testing/virtual-clock.ts';
import type { FormHandler } from '../handlers.ts';
import { openClient } from '../open-client.ts';
import type { ConnectOptions } from '../options.ts';
import type { ClientTaskState } from './task.ts';

describe('a call that becomes a task in 2026-07-28', () => {
  test('call() waits for the task, and polls at the interval of the server', async () => {
    verifies('TASK-62', 'TASK-65', 'TASK-73', 'TASK-75');
    await using it = await handles(inTurn(handle(), handle({ pollIntervalMs: 2_000 }), ended()));
    const call = it.client.call('render', { scene: 1 });
    await callSent(it);
    await it.clock.advance(499);
    expect(it.server.params('tasks/get')).toHaveLength(0);
    await it.clock.advance(1);
    expect(it.server.params('tasks/get')).toHaveLength(1);
    await it.clock.advance(500);
    expect(it.server.params('tasks/get')).toHaveLength(2);
    await it.clock.advance(1_999);
    expect(it.server.params('tasks/get')).toHaveLength(2);
    await it.clock.advance(1);
    expect((await call).text).toBe('rendered');
    const [sent] = it.server.params('tools/call');
    expect(sent?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
    const [get] = it.server.params('tasks/get');
    expect(get?.['_meta']).toMatchObject({
      'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
    });
  });

  test('all tasks of a client share one abort listener, which avoids MaxListenersExceededWarning', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    await using it = await handles(inTurn(ended()));
    const calls = Array.from({ length: 50 }, () => it.client.call('render', { scene: 1 }));
    await callSent(it);
    await settled();
    await it.clock.advance(500);
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(calls.map(() => 'rendered'));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  test('a client without tasks rejects a task result as unknown', async () => {
    verifies('EXT-10');
    await using it = await opened({ on: on(inTurn(ended())) });
    await expect(it.client.call('render')).rejects.toMatchObject({ code: 'MCP_UNKNOWN_RESULT_TYPE' });
    await expect(it.client.start('render')).rejects.toMatchObject({ code: 'MCP_BAD_DEFINITION' });
    expect(it.server.methods).not.toContain('tasks/get');
  });

  test('a task result is invalid for any other request', async () => {
    verifies('TASK-66');
    const task = (): JsonObject => ({ resultType: 'task', ...handle(), messages: [], contents: [] });
    await using it = await handles(inTurn(ended()), { 'prompts/get': task, 'resources/read': task });
    await expect(it.client.getPrompt('p')).rejects.toMatchObject({ code: 'MCP_UNKNOWN_RESULT_TYPE' });
    await expect(it.client.read('file:///a')).rejects.toMatchObject({ code: 'MCP_UNKNOWN_RESULT_TYPE' });
  });

  test('the questions of a task are answered once each, concurrently', async () => {
    verifies('TASK-84', 'TASK-85', 'TASK-86', 'TASK-89');
    const seen: string[] = [];
    const both = asks('a', 'b');
    await using it = await handles(
      inTurn(both, both, asks('b'), handle(), ended()),
      {},
      {
        elicit: {
          form: async (request, context) => {
            seen.push(request.message);
            return elicit(request, context);
          },
        },
      },
    );
    expect((await within(it, it.client.call('render'), 10_000)).text).toBe('rendered');
    expect(seen).toEqual(['What is a?', 'What is b?']);
    expect(it.server.params('tasks/update').map(({ taskId, inputResponses }) => ({ taskId, inputResponses }))).toEqual([
      { taskId: 't-1', inputResponses: { a: { action: 'accept', content: { a: 'x' } } } },
      { taskId: 't-1', inputResponses: { b: { action: 'accept', content: { b: 'x' } } } },
    ]);
  });

  test('an answer that a lost connection may have swallowed is sent again, and the user is not asked again', async () => {
    let asked = 0;
    let isLost = false;
    const update: Handler = (_, line) => {
      if (isLost) return { resultType: 'complete' };
      isLost = true;
      line.die();
      return silence;
    };
    const form: FormHandler = (request, context) => {
      asked++;
      return elicit(request, context);
    };
    const gets: Handler = () => (it.server.params('tasks/update').length < 2 ? asks('a') : ended());
    await using it = await handles(gets, { 'tasks/update': update }, { elicit: { form } });
    expect((await within(it, it.client.call('render'), 60_000)).text).toBe('rendered');
    expect(asked).toBe(1);
    expect(it.server.params('tasks/cancel')).toEqual([]);
  });

  test('a reader of the states that leaves never takes the result from the next caller', async () => {
    await using it = await handles(inTurn(handle(), ended()));
    for (let turns = 0; turns < 12; turns++) {
      const started = await it.client.start('render');
      for await (const _ of started.states()) break;
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      expect((await within(it, started.result(), 5_000)).text).toBe('rendered');
    }
  });

  test('an answer after the end of the task is dropped', async () => {
    let answer: (() => void) | undefined;
    const slow: ConnectOptions['elicit'] = () =>
      new Promise((resolve) => {
        answer = () => resolve({ action: 'accept', content: { a: 'x' } });
      });
    await using it = await handles(inTurn(asks('a'), ended()), {}, { elicit: slow });
    await within(it, it.client.call('render'), 5_000);
    answer?.();
    await settled();
    expect(it.server.params('tasks/update')).toEqual([]);
  });

  test('a question without a handler fails the call and cancels the task', async () => {
    await using it = await handles(inTurn(asks('a')));
    await expect(within(it, it.client.call('render'), 5_000)).rejects.toMatchObject({ code: 'MCP_CANNOT_ASK' });
    expect(it.server.params('tasks/cancel')).toMatchObject([{ taskId: 't-1' }]);
  });

  test('cancelling the call sends tasks/cancel, never a notification', async () => {
    verifies('TASK-96');
    await using it = await handles(inTurn(handle()));
    const stop = new AbortController();
    const call = it.client.call('render', {}, { signal: stop.signal });
    await callSent(it);
    await it.clock.advance(600);
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    expect(it.server.params('tasks/cancel')).toMatchObject([{ taskId: 't-1' }]);
    expect(it.server.methods).not.toContain(CANCELLED);
  });

  test('a task rejects with its JSON-RPC error, or with MCP_CANCELLED', async () => {
    const error = { code: -32000, message: 'no farm', data: { farm: 1 } };
    await using failed = await handles(inTurn(handle({ status: 'failed', error })));
    await expect(within(failed, failed.client.call('render'), 5_000)).rejects.toMatchObject({
      name: 'RpcError',
      ...error,
    });
    await using stopped = await handles(inTurn(handle({ status: 'cancelled', statusMessage: 'by an admin' })));
    await expect(within(stopped, stopped.client.call('render'), 5_000)).rejects.toThrow(/cancelled: by an admin/);
  });

  test('onTask gets the task id, only if the call becomes a task', async () => {
    const tasks: string[] = [];
    const onTask = (taskId: string): void => void tasks.push(taskId);
    await using it = await handles(inTurn(ended()));
    await within(it, it.client.call('render', {}, { onTask }), 5_000);
    await within(it, it.client.attempt('render', {}, { onTask }), 5_000);
    expect(tasks).toEqual(['t-1', 't-1']);
    await using plain = await handles(inTurn(ended()), {
      'tools/call': () => ({ resultType: 'complete', content: [] }),
    });
    await within(plain, plain.client.call('render', {}, { onTask }), 5_000);
    expect(tasks).toHaveLength(2);
  });

  test('status messages of a task reach onProgress', async () => {
    const seen: unknown[] = [];
    const said = (statusMessage: string, second: number): JsonObject =>
      handle({ statusMessage, lastUpdatedAt: at(second) });
    await using it = await handles(inTurn(said('12 of 40 frames', 1), said('packing', 2), ended()));
    await within(it, it.client.call('render', {}, { onProgress: (one) => void seen.push(one) }), 5_000);
    expect(seen).toContainEqual({ progress: 12, total: 40, message: '12 of 40 frames' });
    expect(seen).toContainEqual(expect.objectContaining({ message: 'packing' }));
  });

  test('a task whose id the server acknowledges is polled less often', async () => {
    verifies('TASK-99');
    const listen: Handler = (params, line, { id }) => {
      const _meta = { [SUBSCRIPTION_ID]: id };
      line.notify(ACKNOWLEDGED, { ...params, _meta });
      line.notify('notifications/tasks', { ...handle({ statusMessage: 'half', lastUpdatedAt: at(5) }), _meta });
      return silence;
    };
    await using it = await handles(inTurn(handle()), { [LISTEN]: listen });
    const task = await it.client.start('render');
    const states: ClientTaskState[] = [];
    const reading = (async () => {
      for await (const state of task.states()) states.push(state);
    })();
    await settled();
    await it.clock.advance(10_000);
    expect(it.server.params(LISTEN)).toMatchObject([{ notifications: { taskIds: ['t-1'] } }]);
    // The first poll, and one after the stream opened.
    expect(it.server.params('tasks/get')).toHaveLength(2);
    await it.clock.advance(60_000);
    expect(it.server.params('tasks/get')).toHaveLength(3);
    const [listening] = it.server.heard.filter((message) => 'method' in message && message.method === LISTEN);
    const _meta = { [SUBSCRIPTION_ID]: listening !== undefined && 'id' in listening ? listening.id : 0 };
    it.server.line.notify('notifications/tasks', { ...ended(), lastUpdatedAt: at(9), _meta });
    await reading;
    expect(states.map(({ status, message }) => [status, message])).toEqual([
      ['working', undefined],
      ['working', 'half'],
      ['completed', undefined],
    ]);
    expect((await task.result()).text).toBe('rendered');
  });

  test('a task survives a temporary outage of the server', async () => {
    let isAway = true;
    const gets: Handler = (_, line) => {
      if (!isAway) return ended();
      line.die();
      return silence;
    };
    await using it = await handles(gets);
    const call = it.client.call('render');
    await callSent(it);
    await it.clock.advance(20_000);
    isAway = false;
    expect((await within(it, call, 60_000)).text).toBe('rendered');
  });
});

describe('a call of a client with tasks that reconnects', () => {
  async function reconnecting() {
    const clock = virtualClock();
    const server = new FakeServer({ revision: STATELESS, on: on(inTurn(ended())) });
    let isGone = false;
    const transport: Transport = (inbound, session) =>
      isGone ? new Promise(() => undefined) : server.transport(inbound, session);
    const client = await openClient(transport, { revisions: [STATELESS], clock, tasks: true });
    await client.attach(undefined as never).catch(() => undefined); // rejected, once the code for tasks is loaded
    isGone = true;
    server.line.die();
    await settled();
    return { client, clock, [Symbol.asyncDispose]: () => client.close() };
  }

  test('a call of a client with tasks times out while the client reconnects', async () => {
    await using it = await reconnecting();
    const calling = it.client.call('render', {}, { timeoutMs: 1_000 });
    calling.catch(() => undefined);
    await settled();
    await it.clock.advance(1_000);
    await expect(calling).rejects.toMatchObject({ code: 'MCP_TIMEOUT', details: { ms: 1_000 } });
  });

  test('a signal cancels a call of a client with tasks while the client reconnects', async () => {
    await using it = await reconnecting();
    const stop = new AbortController();
    const calling = it.client.call('render', {}, { signal: stop.signal });
    await settled();
    stop.abort(new Error('never mind'));
    await expect(calling).rejects.toMatchObject({
      code: 'MCP_CANCELLED',
      message: expect.stringContaining('never mind'),
    });
  });
});

describe('a ticket', () => {
  test('a ticket resumes the task in another client, without repeating answered questions', async () => {
    verifies('TASK-76');
    let answers = 0;
    const gets: Handler = () => (answers === 0 ? asks('a') : ended());
    const update: Handler = () => {
      answers++;
      return { resultType: 'complete' };
    };
    await using first = await handles(gets, { 'tasks/update': update });
    const { ticket } = await first.client.start('render', { secret: 'hunter2' });
    expect(ticket).toEqual({
      ...{ v: 1, server: 'name:', revision: STATELESS, taskId: 't-1', tool: 'render' },
      ...{ createdAt: at(0), ttlMs: 3_600_000, answered: [] },
    });
    await using second = await handles(gets, { 'tasks/update': update }, { elicit: { form: elicit } });
    const task = await second.client.attach(JSON.parse(JSON.stringify(ticket)));
    expect((await within(second, task.result(), 5_000)).text).toBe('rendered');
    expect(answers).toBe(1);
    expect(task.ticket?.answered).toEqual(['a']);
    // The server repeats the question, because it has not processed the answer yet.
    await using third = await handles(inTurn(asks('a'), ended()), {}, { elicit: { form: elicit } });
    const again = await third.client.attach(task.ticket as NonNullable<typeof task.ticket>); // it is a task
    await within(third, again.result(), 5_000);
    expect(third.server.params('tasks/update')).toEqual([]);
  });

  test.each([
    [undefined, /"v" must be 1/],
    [{ v: 2 }, /"v" must be 1, not 2/],
    [{ v: 1, server: 'name:' }, /a member is missing/],
    [
      {
        v: 1,
        server: 'https://other.example/mcp',
        revision: STATELESS,
        taskId: 't',
        tool: 'a',
        createdAt: '',
        ttlMs: null,
        answered: [],
      },
      /for https:\/\/other.example\/mcp, and this is name:/,
    ],
  ])('an invalid ticket, or one of another server, is rejected: %j', async (ticket, text) => {
    await using it = await handles(inTurn(ended()));
    await expect(it.client.attach(ticket as never)).rejects.toThrow(text); // as a caller without the compiler would
    expect(it.server.methods).not.toContain('tasks/get');
  });

  test('a ticket of an expired task rejects with the reason', async () => {
    await using it = await handles(() => new RpcError(INVALID_PARAMS, 'Task not found'));
    const { ticket } = await it.client.start('render');
    const task = await it.client.attach(ticket as NonNullable<typeof ticket>); // it is a task
    await expect(task.result()).rejects.toThrow(
      /does not know task t-1 of tool "render": it has expired, or .* to another session$/,
    );
  });
});

describe('waiting for a task', () => {
  test('aborting the signal stops waiting, and does not cancel the task', async () => {
    await using it = await handles(inTurn(handle()));
    const task = await it.client.start('render');
    const stop = new AbortController();
    const waiting = task.result({ signal: stop.signal });
    await it.clock.advance(700);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'MCP_CANCELLED' });
    const looks = it.server.params('tasks/get').length;
    await it.clock.advance(10_000);
    expect(it.server.params('tasks/get')).toHaveLength(looks);
    expect(it.server.methods).not.toContain('tasks/cancel');
    await task.cancel();
    expect(it.server.methods).toContain('tasks/cancel');
  });

  test('closing the client rejects everything that waits for a task', async () => {
    const it = await handles(inTurn(handle()));
    const task = await it.client.start('render');
    const waiting = Promise.allSettled([task.result(), task.attempt()]);
    await settled();
    await it.client.close();
    expect((await waiting).map((one) => one.status === 'rejected' && one.reason.code)).toEqual([
      'MCP_CLOSED',
      'MCP_CLOSED',
    ]);
  });

  test('waiting times out when the task does not change during its lifetime', async () => {
    verifies('TASK-80');
    await using it = await handles(inTurn(handle({ ttlMs: 5_000 })), {
      'tools/call': () => ({ resultType: 'task', ...handle({ ttlMs: 5_000 }) }),
    });
    await expect(within(it, it.client.call('render'), 20_000)).rejects.toMatchObject({ code: 'MCP_TIMEOUT' });
    expect(it.server.methods).toContain('tasks/cancel');
  });

  test('waiting does not time out while the user answers', async () => {
    let answer: () => void = () => undefined;
    const slow: ConnectOptions['elicit'] = () =>
      new Promise((resolve) => {
        answer = () => resolve({ action: 'accept', content: { a: 'x' } });
      });
    let isAnswered = false;
    const short = { ...asks('a'), ttlMs: 5_000 };
    await using it = await handles(
      () => (isAnswered ? ended() : short),
      {
        'tasks/update': () => {
          isAnswered = true;
          return {};
        },
      },
      { elicit: slow },
    );
    const call = it.client.call('render');
    await callSent(it);
    await it.clock.advance(60_000);
    answer();
    expect((await within(it, call, 5_000)).text).toBe('rendered');
  });
});
