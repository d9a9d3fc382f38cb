import { expect, test } from 'vitest';
import { CancellationGroup } from './cancellation-group.ts';

/** Runs until it is cancelled, and resolves with the reason. */
const until = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason));
  });

test('work ends with its own caller, and no other work does', async () => {
  const group = new CancellationGroup();
  const [mine, theirs] = [new AbortController(), new AbortController()];
  const ended: string[] = [];
  const one = group.run(mine.signal, until).then((reason) => ended.push(`one ${reason}`));
  const other = group.run(theirs.signal, until).then((reason) => ended.push(`other ${reason}`));
  mine.abort('enough');
  await one;
  expect(ended).toEqual(['one enough']);
  theirs.abort('me too');
  await other;
  expect(await group.run(mine.signal, until)).toBe('enough');
});

test('a cancelled group cancels all its work, and what begins later', async () => {
  const group = new CancellationGroup();
  const running = [group.run(undefined, until), group.run(new AbortController().signal, until)];
  const failing = group.run(undefined, async (signal) => {
    throw await until(signal);
  });
  const reason = new Error('closed');
  group.cancelAll(reason);
  await group.settled();
  expect(await Promise.all(running)).toEqual([reason, reason]);
  await expect(failing).rejects.toBe(reason);
  expect(await group.run(undefined, until)).toBe(reason);
});

test('no listeners are left on the signal of a caller with many operations', async () => {
  const warnings: Error[] = [];
  const hear = (warning: Error): number => warnings.push(warning);
  process.on('warning', hear);
  const group = new CancellationGroup();
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
  await Promise.all(Array.from({ length: 50 }, () => group.run(counted, async () => undefined)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', hear);
  expect(listeners).toBe(0);
  expect(warnings).toEqual([]);
});
