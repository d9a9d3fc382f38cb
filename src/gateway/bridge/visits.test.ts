/** Waiting for visits: until they complete, time out, or the call ends. */
import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { Visits } from './visits.ts';

const DAY_MS = 86_400_000;

function waiting({ told = true }: { readonly told?: boolean } = {}) {
  const clock = virtualClock();
  const visits = new Visits(clock);
  if (told) for (const id of ['one', 'two']) visits.expect('shop', id);
  const call = new AbortController();
  const seen = { isComplete: false };
  const wait = (): Promise<void> =>
    visits.untilComplete('shop', ['one', 'two'], call.signal).then(() => {
      seen.isComplete = true;
    });
  return { clock, visits, call, seen, wait };
}

test('a call waits for all of its visits, and for those of no other upstream', async () => {
  const { clock, visits, seen, wait } = waiting();
  const over = wait();
  visits.complete('shop', 'one');
  visits.complete('other', 'two');
  await clock.advance(1);
  expect(seen.isComplete).toBe(false);
  visits.complete('shop', 'two');
  await over;
});

test('visits that were over before are not waited for', async () => {
  const { visits, wait } = waiting();
  for (const id of ['one', 'two']) visits.complete('shop', id);
  await wait();
});

test.each([
  ['50 s', true, 50_000],
  ['5 s where this node is not told of their end', false, 5_000],
])('a call goes on after %s', async (_, told, ms) => {
  const { clock, seen, wait } = waiting({ told });
  const over = wait();
  await clock.advance(ms - 1);
  expect(seen.isComplete).toBe(false);
  await clock.advance(1);
  await over;
});

test('a call that ends, or has ended, waits no longer and leaves nothing behind', async () => {
  for (const order of ['before', 'after'] as const) {
    const { clock, call, wait } = waiting();
    if (order === 'before') call.abort();
    const over = wait();
    if (order === 'after') call.abort();
    await over;
    expect(getEventListeners(call.signal, 'abort')).toEqual([]);
    await clock.advance(DAY_MS);
  }
});

test('two requests that wait for the same visits both go on when these are over', async () => {
  const { visits, wait } = waiting();
  const both = [wait(), wait()];
  for (const id of ['one', 'two']) visits.complete('shop', id);
  await Promise.all(both);
});

test('1,000 visits are remembered, and the oldest is forgotten first', async () => {
  const { clock, visits, seen, wait } = waiting();
  for (let at = 2; at < 1_000; at++) visits.expect('shop', String(at));
  void wait();
  await clock.advance(5_000);
  expect(seen.isComplete).toBe(false);
  const later = waiting();
  for (let at = 2; at < 1_001; at++) later.visits.expect('shop', String(at));
  void later.wait();
  await later.clock.advance(5_000);
  expect(later.seen.isComplete).toBe(true);
});
