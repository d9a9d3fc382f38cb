/** The call queue of an upstream: concurrency, length, and fairness between callers. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { CallQueue } from './call-queue.ts';
import { UpstreamError } from './upstream-error.ts';

const limits = { calls: 2, queue: 20, queueMs: 500, clients: 1, clientsPerPrincipal: 1, waitingCalls: 1 };
const signal = (): AbortController => new AbortController();

/** A queue with two open calls. */
function busyQueue() {
  const clock = virtualClock();
  const queue = new CallQueue('shop', limits, clock);
  expect([queue.enter('', signal()), queue.enter('', signal())]).toEqual([undefined, undefined]);
  return { clock, queue };
}

/** The outcome of a waiting call, once it is known. */
function outcomeOf(turn: Promise<void> | undefined): { value: unknown } {
  const outcome = { value: undefined as unknown };
  turn?.then(
    () => (outcome.value = 'its turn'),
    (error: unknown) => (outcome.value = error),
  );
  return outcome;
}

test('as many calls as allowed begin at once, and the next ones when one ends, in the order they came', async () => {
  const { clock, queue } = busyQueue();
  const [third, fourth] = [outcomeOf(queue.enter('a', signal())), outcomeOf(queue.enter('b', signal()))];
  await clock.advance(0);
  expect([queue.open, queue.waiting, third.value]).toEqual([2, 2, undefined]);
  queue.leave();
  await clock.advance(0);
  expect([queue.open, queue.waiting, third.value, fourth.value]).toEqual([2, 1, 'its turn', undefined]);
  queue.leave();
  queue.leave();
  await clock.advance(0);
  expect([queue.open, queue.waiting, fourth.value]).toEqual([1, 0, 'its turn']);
});

test('a call that gets no turn in time fails as not sent, with the time after which to try again', async () => {
  const { clock, queue } = busyQueue();
  const late = outcomeOf(queue.enter('a', signal()));
  await clock.advance(499);
  expect(late.value).toBeUndefined();
  await clock.advance(1);
  expect(late.value).toBeInstanceOf(UpstreamError);
  expect(late.value).toMatchObject({ outcome: 'not-sent', retryAfterMs: 500 });
  expect(queue.waiting).toBe(0);
  queue.leave();
  queue.leave();
  expect(queue.open).toBe(0);
});

test('a caller that gives up leaves the queue with its own reason, also one that gave up before', async () => {
  const { clock, queue } = busyQueue();
  const giving = new AbortController();
  const given = outcomeOf(queue.enter('a', giving));
  giving.abort('enough');
  const before = outcomeOf(queue.enter('a', giving));
  await clock.advance(0);
  expect([given.value, before.value, queue.waiting]).toEqual(['enough', 'enough', 0]);
});

test('a full queue rejects at once', () => {
  const { queue } = busyQueue();
  for (let at = 0; at < 20; at++) void queue.enter('', signal())?.catch(() => undefined);
  expect(() => queue.enter('', signal())).toThrow('20 wait');
  expect(queue.waiting).toBe(20);
});

test('one caller fills a tenth of the queue while others wait, and all of it alone', () => {
  const { queue } = busyQueue();
  const wait = (principal: string): void => void queue.enter(principal, signal())?.catch(() => undefined);
  for (let at = 0; at < 5; at++) wait('a'); // alone
  wait('b');
  expect(() => queue.enter('a', signal())).toThrow('is busy');
  wait('b');
  expect(() => queue.enter('b', signal())).toThrow('is busy');
  // Callers that cannot be distinguished share no slot.
  for (let at = 0; at < 5; at++) wait('');
  expect(queue.waiting).toBe(12);
});

test('a queue says once that it is empty, when the last call has left and none waits', async () => {
  const { clock, queue } = busyQueue();
  const said: string[] = [];
  queue.onEmpty(() => said.push('empty'));
  const third = outcomeOf(queue.enter('a', signal()));
  queue.leave();
  queue.leave();
  await clock.advance(0);
  expect([queue.open, third.value, said]).toEqual([1, 'its turn', []]);
  queue.leave();
  queue.onEmpty(() => said.push('still'));
  expect(said).toEqual(['empty', 'still']);
});
