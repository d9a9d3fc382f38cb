import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test, vi } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import { ActiveCalls } from './active-calls.ts';

const ada = { id: 's1', principal: 'ada' };
const bo = { id: 's2', principal: 'bo' };

test('a question belongs to the only session that is calling the server, and to none if there are two', () => {
  const activeCalls = new ActiveCalls();
  expect(activeCalls.sessionOf('files')).toBeUndefined();
  const first = activeCalls.begin(ada, act());
  const second = activeCalls.begin(ada, act());
  expect(activeCalls.sessionOf('files')).toEqual(ada);
  expect(activeCalls.sessionOf('mail')).toBeUndefined();
  const other = activeCalls.begin(bo, act());
  expect(activeCalls.sessionOf('files')).toBeUndefined();
  first();
  second();
  expect(activeCalls.sessionOf('files')).toEqual(bo);
  other();
  expect(activeCalls.sessionOf('files')).toBeUndefined();
});

test('exchanges are recorded by session and server, within limits, until the session ends', () => {
  const activeCalls = new ActiveCalls();
  for (let i = 0; i < 30; i++) activeCalls.begin(ada, act({ server: i % 2 === 0 ? 'files' : 'mail' }))(`told ${i}`);
  for (let i = 0; i < 30; i++) activeCalls.begin(ada, act())('x'.repeat(10_000));
  activeCalls.begin(bo, act())('told bo');
  activeCalls.begin(ada, act({ server: 'web' }))();
  expect(activeCalls.labels('s1')).toEqual(['files', 'mail']);
  expect(activeCalls.exchangesWith('s1', 'mail').length).toBe(15);
  expect(activeCalls.exchangesWith('s1', 'files').map(({ length }) => length)).toEqual(
    Array.from({ length: 20 }, () => 4_000),
  );
  expect(activeCalls.exchangesWith('s2', 'files').join()).toContain('told bo');
  activeCalls.endSession('s1');
  expect(activeCalls.exchangesWith('s1', 'mail')).toEqual([]);
  expect(activeCalls.exchangesWith('s2', 'files').length).toBe(1);
});

test('an act that begins during a model request is one deeper, and the storage is disabled after the last request', async () => {
  const disabled = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
  const activeCalls = new ActiveCalls();
  let answer = (): void => undefined;
  const outer = activeCalls.runAtDepth(1, () => new Promise<void>((resolve) => (answer = resolve)));
  await activeCalls.runAtDepth(activeCalls.depthOf('files'), async () => {
    activeCalls.begin(ada, act());
  });
  expect(activeCalls.depthOf('files')).toBe(2);
  expect(disabled).not.toHaveBeenCalled();
  answer();
  await outer;
  expect(disabled).toHaveBeenCalledOnce();
  disabled.mockRestore();
});
