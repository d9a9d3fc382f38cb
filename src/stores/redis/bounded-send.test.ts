/** boundedSend(): when Redis counts as unreachable. */
import { expect, test } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { systemClock } from '../../peer/clock.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { boundedSend } from './bounded-send.ts';

test('a command without a reply fails after its timeout, and not before', async () => {
  const clock = new HeldClock();
  const send = boundedSend(() => new Promise(() => undefined), 250, clock);
  const ends: unknown[] = [];
  send(['GET', 'x'], 'x').catch((thrown: unknown) => ends.push(thrown));
  await clock.pass(249);
  expect(ends).toEqual([]);
  await clock.pass(1);
  const details = { url: 'Redis', why: 'no reply to GET within 250 ms' };
  expect(ends).toMatchObject([{ code: 'MCP_UNREACHABLE', details }]);
});

test('a reply that arrives while the event loop is blocked for longer than the timeout is accepted', async () => {
  const timeoutMs = 20;
  const replyNextTurn = (): Promise<unknown> => new Promise((resolve) => void setImmediate(() => resolve('OK')));
  const send = boundedSend(replyNextTurn, timeoutMs, systemClock);
  // From here on, timers fire before the reply is read.
  await nextTurn();
  const reply = send(['GET', 'x'], 'x');
  const until = performance.now() + 2 * timeoutMs;
  while (performance.now() < until);
  expect(await reply).toBe('OK');
  await settled();
});

test('a command that timed out counts as pending until its reply arrives', async () => {
  const clock = new HeldClock();
  const replies: (() => void)[] = [];
  const send = boundedSend(() => new Promise((resolve) => replies.push(() => resolve('OK'))), 250, clock);
  const all = Promise.allSettled(Array.from({ length: 1_000 }, () => send(['GET', 'x'], 'x')));
  await clock.pass(250);
  expect((await all).every(({ status }) => status === 'rejected')).toBe(true);
  await expect(send(['GET', 'x'], 'x')).rejects.toThrow('1000 commands wait for a reply');
  replies[0]?.();
  await settled();
  const next = send(['GET', 'x'], 'x');
  replies[1_000]?.();
  expect(await next).toBe('OK');
});
