import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test, vi } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { TypedCalls } from './typed-acts.ts';

test('the storage for typed calls is on until the last of them has ended, and off after that', async () => {
  const disabled = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
  const typed = new TypedCalls();
  const [rule] = typed.rules(true);
  const history = { count: () => 0, tokens: () => 0 };
  const isTyped = (): boolean => rule?.decide(act({ server: 'shop', name: 'refund' }), history)?.verdict === 'allow';
  let end = (): void => undefined;
  const first = typed.run({ server: 'shop', name: 'refund' }, async () => {
    await new Promise<void>((resolve) => (end = resolve));
    return isTyped();
  });
  await typed.run({ server: 'shop', name: 'other' }, async () => expect(isTyped()).toBe(false));
  expect(disabled).not.toHaveBeenCalled();
  end();
  expect(await first).toBe(true);
  expect(disabled).toHaveBeenCalledOnce();
  expect(isTyped()).toBe(false);
  disabled.mockRestore();
});
