/** Sliding windows never count too few events, and never forget one too early. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/index.ts';
import { WindowCounts } from './window-counts.ts';

const rate = { limit: 3, perMs: 60_000 };

test('a window never lets more through than its limit in any span of its length', async () => {
  const clock = virtualClock();
  const counts = new WindowCounts(clock);
  const taken: number[] = [];
  for (let step = 0; step < 400; step++) {
    if ((await counts.take('ada', rate)).ok) taken.push(clock.now());
    await clock.advance(701);
  }
  for (const from of taken)
    expect(taken.filter((at) => at >= from && at < from + rate.perMs).length).toBeLessThanOrEqual(rate.limit);
  expect(taken.length).toBeGreaterThanOrEqual(Math.floor((400 * 701) / (rate.perMs * (1 + 1 / 60))) * rate.limit);
});

test('there is room again after the time that was named, and not a millisecond before', async () => {
  const clock = virtualClock();
  const counts = new WindowCounts(clock);
  for (let call = 0; call < 3; call++) await counts.take('ada', rate);
  const full = await counts.take('ada', rate);
  const retryMs = full.ok ? 0 : full.retryMs;
  // A window consists of 60 buckets, so its oldest bucket counts whole.
  expect(retryMs).toBe(rate.perMs * (1 + 1 / 60));
  await clock.advance(retryMs - 1);
  expect((await counts.take('ada', rate)).ok).toBe(false);
  await clock.advance(1);
  expect(await counts.take('ada', rate)).toEqual({ ok: true });
});

test('a full window always names a time to wait, also where the length of its parts is rounded', async () => {
  const clock = virtualClock();
  const counts = new WindowCounts(clock);
  const odd = { limit: 1, perMs: 23 };
  await clock.advance(23);
  await counts.take('ada', odd);
  await clock.advance(23);
  expect(await counts.take('ada', odd)).toEqual({ ok: false, retryMs: 1 });
});

test('where one of several keys is full, none of them is counted', async () => {
  const counts = new WindowCounts(virtualClock());
  const [small, large] = [
    { key: 'a', limit: 1, perMs: 1_000 },
    { key: 'b', limit: 2, perMs: 1_000 },
  ];
  expect(counts.takeAll([small, large])).toBeUndefined();
  expect(counts.takeAll([large, small])).toMatchObject({ full: small });
  expect(counts.takeAll([large])).toBeUndefined();
  expect(counts.takeAll([large])).toMatchObject({ full: large, retryMs: expect.any(Number) });
  expect(await counts.take('none', { limit: 0, perMs: 1_000 })).toEqual({ ok: false, retryMs: 1_000 });
});

test('of more keys than are kept, those that were counted longest ago are forgotten', async () => {
  const counts = new WindowCounts(virtualClock());
  const once = { limit: 1, perMs: 1_000 };
  for (let n = 0; n < 10_001; n++) await counts.take(`caller ${n}`, once);
  expect([await counts.take('caller 10000', once), await counts.take('caller 0', once)]).toEqual([
    { ok: false, retryMs: expect.any(Number) },
    { ok: true },
  ]);
});
