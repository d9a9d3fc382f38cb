import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test, vi } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { allowTyped, TypedCalls } from './typed-acts.ts';

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

test('what the user typed is allowed, also new and suspicious definitions where no lock file tells them apart', () => {
  const texts = (hasLock: boolean): readonly string[] =>
    allowTyped({ kind: 'prompt' }, hasLock).map(({ text }) => text);
  expect(texts(true)).toEqual(['allow { kind: prompt }']);
  expect(texts(false)).toEqual(['allow { kind: prompt, status: [new, suspicious] }', 'allow { kind: prompt }']);
});
