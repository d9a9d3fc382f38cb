/** `TimeLimit`: how long a request waits for a promise of the application. */
import { expect, test, vi } from 'vitest';
import { virtualClock } from '../testing/virtual-clock.ts';
import { TimeLimit } from './time-limit.ts';

const limited = () => {
  const clock = virtualClock();
  return { clock, after: vi.spyOn(clock, 'after'), limit: new TimeLimit(clock) };
};
const never = (): Promise<never> => new Promise(() => undefined);

test('a promise that never settles rejects after 30 seconds, and leaves no timer behind', async () => {
  const { clock, after, limit } = limited();
  const failed = vi.fn();
  void Promise.resolve(limit.bound(never(), 'get of the store')).catch(failed);
  await clock.advance(29_999);
  expect(failed).not.toHaveBeenCalled();
  await clock.advance(1);
  expect(failed.mock.calls).toMatchObject([
    [{ code: 'MCP_TIMEOUT', message: expect.stringContaining('get of the store') }],
  ]);
  await clock.advance(120_000);
  expect(after).toHaveBeenCalledOnce();
});

test('a value that is no promise is returned as it is, without a timer', () => {
  const { after, limit } = limited();
  expect([limit.bound('a', 'x'), limit.bound(undefined, 'x')]).toEqual(['a', undefined]);
  expect(after).not.toHaveBeenCalled();
});

test('a promise that settles before the limit is not affected by it', async () => {
  const { clock, limit } = limited();
  const settled = [limit.bound(Promise.resolve('a'), 'x'), limit.bound(Promise.reject(new Error('no')), 'x')];
  await expect(settled[0]).resolves.toBe('a');
  await expect(settled[1]).rejects.toThrow('no');
  await clock.advance(30_000);
});
