import { expect, test, vi } from 'vitest';
import { settled } from '../../test/support/held-clock.ts';
import { callHook } from './call-hook.ts';

const fault = new Error('full');

test.each([
  [
    'throws',
    () => {
      throw fault;
    },
  ],
  ['rejects', () => Promise.reject(fault)],
  [
    'rejects in a thenable that is not a Promise',
    // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable
    () => ({ then: (_: unknown, reject: (error: unknown) => void) => reject(fault) }),
  ],
])('a hook that %s is reported, and not thrown', async (_, hook) => {
  const failed = vi.fn();
  callHook(hook, failed);
  await settled();
  expect(failed.mock.calls).toEqual([[fault]]);
  callHook(hook);
});

test.each([undefined, 7, 'done', Promise.resolve(7)])('a hook that returns %s has not failed', async (returned) => {
  const failed = vi.fn();
  const hook = vi.fn(() => returned);
  callHook(hook, failed);
  await settled();
  expect(hook).toHaveBeenCalledTimes(1);
  expect(failed).not.toHaveBeenCalled();
});
