import { expect, test } from 'vitest';
import { HeldClock } from '../../test/support/held-clock.ts';
import { type IdleListener, KeepAlive } from './keep-alive.ts';

class Heart implements IdleListener {
  due: number | undefined;
  earlier: IdleListener | undefined;
  later: IdleListener | undefined;
  beats = 0;
  readonly #onBeat: ((heart: Heart) => void) | undefined;

  constructor(onBeat?: (heart: Heart) => void) {
    this.#onBeat = onBeat;
  }

  onIdle(): void {
    this.beats++;
    this.#onBeat?.(this);
  }
}

test('each listener is called once per interval', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  const [one, other] = [new Heart(), new Heart()];
  keepAlive.add(one);
  await clock.pass(500);
  keepAlive.add(other);
  await clock.pass(499);
  expect([one.beats, other.beats]).toEqual([0, 0]);
  await clock.pass(1);
  expect([one.beats, other.beats]).toEqual([1, 0]);
  await clock.pass(500);
  expect([one.beats, other.beats]).toEqual([1, 1]);
  await clock.pass(10_000);
  expect([one.beats, other.beats]).toEqual([11, 11]);
});

test('listeners that are due at nearly the same time share a timer', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  const hearts = Array.from({ length: 100 }, () => new Heart());
  for (const heart of hearts) {
    keepAlive.add(heart);
    await clock.pass(1);
  }
  const timers = clock.waits.length;
  await clock.pass(10_000);
  expect(clock.waits.length - timers).toBeLessThan(12);
  for (const { beats } of hearts) expect(beats).toBeGreaterThanOrEqual(9);
});

test('a listener that is removed is not called, wherever it is in the list', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  const hearts = Array.from({ length: 4 }, () => new Heart());
  for (const heart of hearts) keepAlive.add(heart);
  for (const [n, heart] of [...hearts, ...hearts].entries()) if (n % 4 !== 1) keepAlive.remove(heart);
  await clock.pass(3_000);
  expect(hearts.map(({ beats }) => beats)).toEqual([0, 3, 0, 0]);
});

test('adding and removing a thousand listeners sets one timer', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  for (let n = 0; n < 1_000; n++) {
    const heart = new Heart();
    keepAlive.add(heart);
    keepAlive.remove(heart);
  }
  expect(clock.waits).toEqual([1_000]);
  await clock.pass(5_000);
  expect(clock.waits).toEqual([1_000]);
});

test('a listener that removes itself when called is not called again', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  const hearts = Array.from({ length: 3 }, () => new Heart((heart) => keepAlive.remove(heart)));
  for (const heart of hearts) keepAlive.add(heart);
  await clock.pass(5_000);
  expect(hearts.map(({ beats }) => beats)).toEqual([1, 1, 1]);
});

test('a listener that is added twice is called once', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  const [one, other] = [new Heart(), new Heart()];
  for (const heart of [one, other, one]) keepAlive.add(heart);
  keepAlive.remove(one);
  await clock.pass(1_000);
  expect([one.beats, other.beats]).toEqual([0, 1]);
});

test('no listener is called after close', async () => {
  const clock = new HeldClock();
  const keepAlive = new KeepAlive(clock, 1_000);
  const heart = new Heart();
  keepAlive.add(heart);
  keepAlive.close();
  await clock.pass(5_000);
  expect(heart.beats).toBe(0);
});
