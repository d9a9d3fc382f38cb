import { expect, test } from 'vitest';
import { McpError, RpcError } from '../../errors.ts';
import { type VirtualClock, virtualClock } from '../../testing/virtual-clock.ts';
import type { ClientSettings } from '../options.ts';
import { isUnreachable, untilReachable } from './until-reachable.ts';

const lost = new McpError('MCP_CLOSED', { why: 'it is gone' });
const exited = new McpError('MCP_SERVER_EXITED', { command: 'x', how: 'code 1', stderr: '' });

/** Sends a request whose attempts are described by the test, each with its duration and outcome. The delays are as long as they can be. */
function sending(attempt: (nth: number) => readonly [ms: number, outcome: unknown]) {
  const clock: VirtualClock = virtualClock();
  const sentAt: number[] = [];
  const stop = new AbortController();
  const send = async (): Promise<unknown> => {
    sentAt.push(clock.now());
    const [ms, outcome] = attempt(sentAt.length);
    if (ms > 0) await new Promise<void>((resolve) => void clock.after(ms, resolve));
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const settings = { clock, random: () => 1 } as unknown as ClientSettings; // what is read of them
  const start = async (): Promise<unknown> => {
    // The time of the first attempt must not count as that of the first failure.
    await clock.advance(1_000_000);
    return untilReachable(settings, stop.signal, send).catch((error: unknown) => error);
  };
  const done = start();
  return { clock, sentAt, stop, done };
}

test('only errors of the connection are unreachable', () => {
  expect([lost, exited].map(isUnreachable)).toEqual([true, true]);
  const others = [
    new McpError('MCP_CANCELLED', { method: 'm', why: 'w' }),
    new RpcError(-32603, 'no'),
    { kind: 'offline' },
    undefined,
  ];
  expect(others.map(isUnreachable)).toEqual(others.map(() => false));
});

test('a request is repeated with backoff until the server responds', async () => {
  const it = sending((nth) => [0, [lost, exited, lost, 'the result'][nth - 1]]);
  await it.clock.advance(1_000_000);
  await it.clock.advance(60_000);
  expect(await it.done).toBe('the result');
  expect(it.sentAt.map((at) => at - 1_000_000)).toEqual([0, 2_000, 6_000, 14_000]);
});

test('an error of the server ends the attempts', async () => {
  const error = new RpcError(-32603, 'no');
  const it = sending((nth) => [0, nth === 1 ? lost : error]);
  await it.clock.advance(1_000_000);
  await it.clock.advance(60_000);
  expect(await it.done).toBe(error);
  expect(it.sentAt).toHaveLength(2);
});

test('the attempts end when the first failure was more than five minutes ago', async () => {
  const it = sending(() => [0, lost]);
  await it.clock.advance(1_000_000);
  for (let seconds = 0; seconds < 400; seconds += 10) await it.clock.advance(10_000);
  expect(await it.done).toBe(lost);
  const last = (it.sentAt.at(-1) ?? 0) - 1_000_000;
  expect(last).toBeGreaterThan(300_000);
  expect(last).toBeLessThanOrEqual(330_000);
  const before = (it.sentAt.at(-2) ?? 0) - 1_000_000;
  expect(before).toBeLessThanOrEqual(300_000);
});

test('the five minutes begin with the first failure, however long that request was open', async () => {
  const it = sending((nth) => [nth === 1 ? 200_000 : 0, nth === 10 ? 'the result' : lost]);
  await it.clock.advance(1_000_000);
  await it.clock.advance(500_000);
  expect(await it.done).toBe('the result');
});

test('a failure after exactly five minutes is still repeated', async () => {
  // The second attempt begins after 2 s, and fails 300 s after the first failure.
  const it = sending((nth) => [nth === 2 ? 298_000 : 0, nth === 3 ? 'the result' : lost]);
  await it.clock.advance(1_000_000);
  await it.clock.advance(400_000);
  expect(await it.done).toBe('the result');
});

test.each([
  ['more than', 300_001, 2_000],
  ['at most', 300_000, 'given up'],
])('a request that was open for %s five minutes had reached the server: %d ms', async (_, ms, delay) => {
  const it = sending((nth) => [nth === 2 ? ms : 0, nth === 3 ? 'the result' : lost]);
  await it.clock.advance(1_000_000);
  await it.clock.advance(400_000);
  const result = await it.done;
  const [, second = 0, third] = it.sentAt;
  expect(result === lost ? 'given up' : (third ?? 0) - second - ms).toBe(delay);
});

test('an abort ends the wait for the next attempt', async () => {
  const it = sending(() => [0, lost]);
  await it.clock.advance(1_000_000);
  it.stop.abort(new Error('stopped'));
  expect(await it.done).toMatchObject({ message: 'stopped' });
  expect(it.sentAt).toHaveLength(1);
});
