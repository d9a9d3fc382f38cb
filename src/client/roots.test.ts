import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { Root } from '../model/sampling.ts';
import { checkRoots } from './roots.ts';

test('roots must be file:// URLs', () => {
  verifies('ROOT-7');
  const roots = [{ uri: 'file:///home/ada', name: 'Home' }, { uri: 'file:///c:/work/a..b/..c/d../.git' }];
  expect(checkRoots(roots)).toBe(roots);
  for (const uri of [
    'https://a.example',
    '/home/ada',
    'file:/home',
    'https://a.example/file://',
    'file://[',
    'file://a b',
  ])
    expect(() => checkRoots([{ uri }])).toThrow('it must be a file:// URL');
  // Wrong on purpose.
  for (const odd of [{ name: 'x' }, null, 'file:///a'])
    expect(() => checkRoots([odd as unknown as Root])).toThrow('The root undefined: it must be a file:// URL');
});

test('roots must be a list', () => {
  expect(() => checkRoots({ uri: 'file:///a' } as never)).toThrow('The roots: they must be a list, not an object');
});

test.each(['file:///a/../b', 'file:///a/..', 'file:///a/%2e%2E/b', 'file:///a%2f..%2fb', 'file:///a\\..\\b'])(
  'the root %s is rejected because of its ".." segment',
  (uri) => {
    verifies('ROOT-11');
    expect(() => checkRoots([{ uri }])).toThrow('must not climb');
  },
);
