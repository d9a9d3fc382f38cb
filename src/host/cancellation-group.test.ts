import { expect, test } from 'vitest';
import { CancellationGroup } from './cancellation-group.ts';

/** Runs until it is called off, and tells why. */
const until = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason));
  });

test('what is under way ends with its caller, and nobody else does', async () => {
  const underWay = new CancellationGroup();
  const [mine, theirs] = [new AbortController(), new AbortController()];
  const ended: string[] = [];
  const one = underWay.run(mine.signal, until).then((reason) => ended.push(`one ${reason}`));
  const other = underWay.run(theirs.signal, until).then((reason) => ended.push(`other ${reason}`));
  mine.abort('enough');
  await one;
  expect(ended).toEqual(['one enough']);
  theirs.abort('me too');
  await other;
  expect(await underWay.run(mine.signal, until)).toBe('enough');
});

test('all of it is called off at once, and what begins later is called off from the start', async () => {
  const underWay = new CancellationGroup();
  const running = [underWay.run(undefined, until), underWay.run(new AbortController().signal, until)];
  const failing = underWay.run(undefined, async (signal) => {
    throw await until(signal);
  });
  const reason = new Error('closed');
  underWay.cancelAll(reason);
  await underWay.settled();
  expect(await Promise.all(running)).toEqual([reason, reason]);
  await expect(failing).rejects.toBe(reason);
  expect(await underWay.run(undefined, until)).toBe(reason);
});

test('a caller who has many under way is left with nothing to listen to', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error): number => warnings.push(warning);
  process.on('warning', hear);
  const underWay = new CancellationGroup();
  const { signal } = new AbortController();
  let listeners = 0;
  const counted: AbortSignal = new Proxy(signal, {
    get(target, key) {
      if (key === 'addEventListener') listeners++;
      if (key === 'removeEventListener') listeners--;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await Promise.all(Array.from({ length: 50 }, () => underWay.run(counted, async () => undefined)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  expect(listeners).toBe(0);
  expect(warnings).toEqual([]);
});
