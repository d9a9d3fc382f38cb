import { describe, expect, test } from 'vitest';
import { HeldClock, settled } from '../../../test/support/held-clock.ts';
import { AnchorSchedule } from './audit-anchor.ts';
import type { Checkpoint } from './hash-chain.ts';

const head = (n: number): Checkpoint => ({ n, hash: `hash ${n}` });

describe('an anchor without an interval', () => {
  test('gets the head with the hundredth record', async () => {
    const heads: Checkpoint[] = [];
    const anchoring = new AnchorSchedule({
      anchor: (one) => void heads.push(one),
      clock: new HeldClock(),
      warn: () => undefined,
    });
    anchoring.advance(head(99), 99);
    await settled();
    expect(heads).toEqual([]);
    anchoring.advance(head(100), 1);
    await settled();
    expect(heads).toEqual([head(100)]);
  });

  test('gets the head a minute after the first record', async () => {
    const heads: Checkpoint[] = [];
    const clock = new HeldClock();
    const anchoring = new AnchorSchedule({ anchor: (one) => void heads.push(one), clock, warn: () => undefined });
    anchoring.advance(head(1), 1);
    await clock.pass(30_000);
    anchoring.advance(head(2), 1);
    await clock.pass(29_999);
    expect(heads).toEqual([]);
    await clock.pass(1);
    expect(heads).toEqual([head(2)]);
  });
});

test('an anchor gets the next head when it is done with the last one, and flushing waits for both', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const anchoring = new AnchorSchedule({
    anchor: ({ n }) => {
      begun.push(n);
      return new Promise((resolve) => ends.push(resolve));
    },
    every: { records: 1 },
    clock: new HeldClock(),
    warn: () => undefined,
  });
  anchoring.advance(head(1), 1);
  anchoring.advance(head(2), 1);
  let flushed = false;
  const flushing = anchoring.flush().then(() => {
    flushed = true;
  });
  await settled();
  expect([begun, flushed]).toEqual([[1], false]);
  ends[0]?.();
  await settled();
  expect([begun, flushed]).toEqual([[1, 2], false]);
  ends[1]?.();
  await flushing;
  expect(begun).toEqual([1, 2]);
});
