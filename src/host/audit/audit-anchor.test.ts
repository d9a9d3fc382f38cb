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

test('an anchor that does not respond within ten seconds causes a warning, and gets the next head', async () => {
  const heads: number[] = [];
  const warnings: string[] = [];
  const clock = new HeldClock();
  const anchoring = new AnchorSchedule({
    anchor: ({ n }) => {
      heads.push(n);
      return n === 1 ? new Promise(() => undefined) : undefined;
    },
    every: { records: 1 },
    clock,
    warn: (warning) => warnings.push(warning),
  });
  anchoring.advance(head(1), 1);
  await clock.pass(9_999);
  expect(warnings).toEqual([]);
  await clock.pass(1);
  expect(warnings).toEqual([expect.stringContaining('not be anchored at record 1: no response within 10 s')]);
  anchoring.advance(head(2), 1);
  await anchoring.flush();
  expect(heads).toEqual([1, 2]);
});

test('an anchor gets the next head after it finished the last one, and flush() waits for both', async () => {
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

test('the timer of an anchor does not keep the process alive', () => {
  class WatchedClock extends HeldClock {
    readonly options: unknown[] = [];

    override after(ms: number, run: () => void, options?: { readonly idle: true }): () => void {
      this.options.push(options);
      return super.after(ms, run);
    }
  }
  const clock = new WatchedClock();
  new AnchorSchedule({ anchor: () => undefined, clock, warn: () => undefined }).advance(head(1), 1);
  expect(clock.options).toEqual([{ idle: true }]);
});

test('an anchor that fails while the chain grows gets the newest head, and counts from there', async () => {
  const heads: number[] = [];
  const warnings: string[] = [];
  const clock = new HeldClock();
  let fail: (error: Error) => void = () => undefined;
  const held = new Promise<void>((_, reject) => {
    fail = reject;
  });
  const anchoring = new AnchorSchedule({
    anchor: ({ n }) => (heads.push(n) === 1 ? held : undefined),
    every: { records: 2, seconds: 10 },
    clock,
    warn: (warning) => void warnings.push(warning),
  });
  anchoring.advance(head(2), 2);
  await settled();
  anchoring.advance(head(3), 1);
  fail(new Error('no connection'));
  await settled();
  expect([heads, warnings.length]).toEqual([[2], 1]);
  // The failed head is older than the pending one, whose timer keeps running.
  await clock.pass(10_000);
  expect(heads).toEqual([2, 3]);
  anchoring.advance(head(4), 1);
  await settled();
  expect(heads).toEqual([2, 3]);
  anchoring.advance(head(5), 1);
  await settled();
  expect(heads).toEqual([2, 3, 5]);
  await clock.pass(60_000);
  expect(heads).toEqual([2, 3, 5]);
});
