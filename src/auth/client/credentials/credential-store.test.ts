/** memoryCredentials(). */
import { expect, test } from 'vitest';
import { memoryCredentials } from './credential-store.ts';

test('memoryCredentials() returns a value until it is removed', async () => {
  const store = memoryCredentials();
  expect(await store.read('a')).toBeUndefined();
  await store.write('a', '1');
  await store.write('a', '2');
  await store.write('__proto__', '3');
  expect([await store.read('a'), await store.read('__proto__')]).toEqual(['2', '3']);
  await store.remove('a');
  await store.remove('never there');
  expect(await store.read('a')).toBeUndefined();
});

test('two memoryCredentials() share nothing', async () => {
  await memoryCredentials().write('a', '1');
  expect(await memoryCredentials().read('a')).toBeUndefined();
});
