import { describe, expect, test } from 'vitest';
import {
  asks,
  at,
  callSent,
  elicit,
  ended,
  handle,
  handles,
  inTurn,
  question,
  within,
} from '../../../test/support/fake-tasks.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ClientTaskState } from './task.ts';

describe('a hostile server', () => {
  const slowly = (second: number): JsonObject => handle({ statusMessage: `step ${second}`, lastUpdatedAt: at(second) });

  test('waiting for a task that never ends fails after a week', async () => {
    let looks = 0;
    await using it = await handles(() => ({ ...slowly(looks++), pollIntervalMs: 1e300 }), {
      'tools/call': () => ({ resultType: 'task', ...handle({ pollIntervalMs: 1e300, ttlMs: 1e300 }) }),
    });
    const waiting = it.client.call('render').catch((error: unknown) => error);
    await callSent(it);
    await it.clock.advance(8 * 24 * 3_600_000);
    expect(await waiting).toMatchObject({ code: 'MCP_TIMEOUT', details: { setting: 'maxTimeoutMs' } });
  }, 60_000);

  test.each([
    ['0', 0, 1_000],
    ['negative', -5, 1_000],
    ['not a number', 'soon', 1_000],
    ['tiny', 1, 250],
    ['huge', 1e12, 60_000],
  ])('a poll interval that is %s is bounded', async (_, pollIntervalMs, ms) => {
    await using it = await handles(inTurn(handle({ pollIntervalMs })), {
      'tools/call': () => ({ resultType: 'task', ...handle({ pollIntervalMs }) }),
    });
    const call = it.client.call('render').catch(() => undefined);
    await callSent(it);
    await it.clock.advance(ms - 1);
    expect(it.server.params('tasks/get')).toHaveLength(0);
    await it.clock.advance(1);
    expect(it.server.params('tasks/get')).toHaveLength(1);
    await it.client.close();
    await call;
  });

  test('a failed task whose error message is not a string fails the call', async () => {
    const odd = { toString: 1, valueOf: 1 };
    const failed = handle({ status: 'failed', lastUpdatedAt: odd, error: { code: -32000, message: odd } });
    await using it = await handles(inTurn(failed));
    await expect(within(it, it.client.call('render'), 5_000)).rejects.toMatchObject({
      code: -32000,
      message: '{"toString":1,"valueOf":1}',
    });
  });

  test.each([
    ['an id of a megabyte', { taskId: 'x'.repeat(1_000_000) }, /"taskId" must be a string of 1 to 1024/],
    ['no id', { taskId: 7 }, /"taskId" must be/],
    ['a status of its own', { status: 'paused' }, /a task must have a known "status"/],
    ['a date that is no text', { createdAt: { toString: 1, valueOf: 1 } }, /a task must have a known "status"/],
  ])('a task with %s fails with the reason', async (_, more, text) => {
    verifies('BASE-084');
    await using it = await handles(inTurn(ended()), { 'tools/call': () => ({ resultType: 'task', ...handle(more) }) });
    await expect(it.client.call('render')).rejects.toThrow(text);
  });

  test('a report about another task is rejected', async () => {
    await using it = await handles(inTurn({ ...ended(), taskId: 't-2' }));
    await expect(within(it, it.client.call('render'), 5_000)).rejects.toThrow(/it is about another task/);
    await using empty = await handles(inTurn(handle({ status: 'completed' })));
    await expect(within(empty, empty.client.call('render'), 5_000)).rejects.toThrow(
      /its result or error when it has ended/,
    );
  });

  test('reports that arrive out of order are ignored', async () => {
    await using it = await handles(inTurn(slowly(5), slowly(3), slowly(4), slowly(6), ended()));
    const states: ClientTaskState[] = [];
    const reading = (async () => {
      for await (const state of (await it.client.start('render')).states()) states.push(state);
    })();
    await within(it, reading, 10_000);
    expect(states.map(({ message }) => message)).toEqual([undefined, 'step 5', 'step 6', undefined]);
  });

  test('a different question under the same key fails the task', async () => {
    const other = handle({ status: 'input_required', inputRequests: { a: question('money') } });
    await using it = await handles(inTurn(asks('a'), other), {}, { elicit: { form: elicit } });
    await expect(within(it, it.client.call('render'), 5_000)).rejects.toThrow(
      /two different questions under the key "a"/,
    );
    expect(it.server.params('tasks/update')).toHaveLength(1);
  });

  test('a task that asks too many questions fails', async () => {
    let asked = 0;
    await using it = await handles(
      () => asks(...Array.from({ length: 100 }, () => `q${asked++}`)),
      {},
      { elicit: { form: elicit } },
    );
    await expect(within(it, it.client.call('render'), 60_000)).rejects.toMatchObject({ code: 'MCP_TOO_MANY_ROUNDS' });
    expect(it.server.params('tasks/update')).toHaveLength(1_000);
  });
});
