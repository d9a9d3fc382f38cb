import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { UsedProofs } from './used-proofs.ts';

test('a proof is used once until its time is over', async () => {
  const clock = virtualClock();
  const proofs = new UsedProofs(clock);
  const spend = (id: string): boolean => proofs.spend(id, 1_000);
  expect([spend('a'), spend('a'), spend('b')]).toEqual([true, false, true]);
  await clock.advance(999);
  expect([spend('c'), spend('a'), spend('b')]).toEqual([true, false, false]);
  await clock.advance(1);
  expect([spend('a'), spend('b'), spend('c'), spend('a')]).toEqual([true, true, false, false]);
});

test('UsedProofs evicts the oldest of more than 50,000 proofs', () => {
  const proofs = new UsedProofs(virtualClock());
  const spend = (id: number): boolean => proofs.spend(String(id), 1_000);
  for (let id = 0; id < 50_000; id++) spend(id);
  // The first insertion evicts 0, the third evicts 1.
  expect([spend(1), spend(0), spend(2), spend(1)]).toEqual([false, true, false, true]);
});
