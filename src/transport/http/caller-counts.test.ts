import { expect, test } from 'vitest';
import { CallerCounts, callerKey, networkKey } from './caller-counts.ts';

test.each<[string | undefined, string | undefined]>([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['::2', ':0:0:0'],
  ['::', ':0:0:0'],
  ['127.0.0.1', undefined],
  ['127.9.9.9', undefined],
  ['::1', undefined],
  ['::ffff:127.0.0.1', undefined],
  [undefined, undefined],
])('the address %s is counted as %s', (address, network) => {
  expect(networkKey(address)).toBe(network);
});

test('a verified caller is counted by identity, from any address', () => {
  const ada = { issuer: 'i', subject: 'ada', scopes: [] };
  expect(callerKey(ada, '203.0.113.7')).toBe(callerKey(ada, '127.0.0.1'));
  expect(callerKey(ada, undefined)).not.toBe(callerKey({ ...ada, subject: 'eve' }, undefined));
  expect(callerKey({ clientId: 'robot', scopes: [] }, undefined)).toBeDefined();
});

test('credentials without a subject are counted by address', () => {
  expect(callerKey({ scopes: ['all'] }, '203.0.113.7')).toBe('203.0.113.7');
  expect(callerKey({ scopes: ['all'] }, '127.0.0.1')).toBeUndefined();
});

test('each caller has its limit, and an unknown caller has none', () => {
  const tally = new CallerCounts(2);
  const full = (): boolean[] => ['a', 'b', undefined].map((caller) => tally.isFull(caller));
  for (const caller of ['a', 'b', undefined, undefined, undefined]) tally.add(caller);
  expect(full()).toEqual([false, false, false]);
  tally.add('a');
  expect(full()).toEqual([true, false, false]);
  tally.remove('a');
  tally.remove('unknown');
  expect(full()).toEqual([false, false, false]);
  // One caller had two and has one left; the other had none.
  for (const caller of ['a', 'a', 'c', 'c']) tally.add(caller);
  tally.remove('a');
  for (const caller of ['a', 'unknown', 'unknown']) tally.add(caller);
  for (const caller of ['c', 'c', 'b']) tally.remove(caller);
  tally.add('c');
  expect(['a', 'unknown', 'c', 'b'].map((caller) => tally.isFull(caller))).toEqual([true, true, false, false]);
  expect(['a', undefined].map((caller) => new CallerCounts(0).isFull(caller))).toEqual([true, false]);
});
