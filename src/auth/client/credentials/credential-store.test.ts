/** Credentials in memory. */
import { expect, test } from 'vitest';
import { memoryCredentials } from './credential-store.ts';

test('gives back what was kept, until it is removed', async () => {
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

test('keeps nothing for another store', async () => {
  await memoryCredentials().write('a', '1');
  expect(await memoryCredentials().read('a')).toBeUndefined();
});
