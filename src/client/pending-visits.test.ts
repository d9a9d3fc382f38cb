import { expect, test } from 'vitest';
import { settled } from '../../test/support/held-clock.ts';
import { PendingVisits } from './pending-visits.ts';

test('pending visits are limited, and the oldest are evicted first', async () => {
  const visits = new PendingVisits();
  const over: number[] = [];
  for (let i = 0; i < 101; i++) void visits.expect(`v${i}`).then(() => over.push(i));
  for (const id of ['v0', 'v1', 'v100']) visits.complete(id);
  await settled();
  expect(over).toEqual([1, 100]);
});

test('a visit without an id never completes', async () => {
  const visits = new PendingVisits();
  let over = false;
  void visits.expect(undefined).then(() => {
    over = true;
  });
  visits.complete(undefined);
  await settled();
  expect(over).toBe(false);
});
