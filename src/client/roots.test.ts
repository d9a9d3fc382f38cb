import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import type { Root } from '../model/sampling.ts';
import { checkedRoots } from './roots.ts';

test('roots are addresses of files', () => {
  verifies('ROOT-7');
  const roots = [{ uri: 'file:///home/ada', name: 'Home' }, { uri: 'file:///c:/work/a..b/.git' }];
  expect(checkedRoots(roots)).toBe(roots);
  for (const uri of ['https://a.example', '/home/ada', 'file:/home'])
    expect(() => checkedRoots([{ uri }])).toThrow('it must be a file:// URL');
  expect(() => checkedRoots([{ name: 'x' } as unknown as Root])).toThrow('file://'); // wrong on purpose
});

test.each(['file:///a/../b', 'file:///a/..', 'file:///a/%2e%2E/b', 'file:///a%2f..%2fb', 'file:///a\\..\\b'])(
  'the root %s does not climb',
  (uri) => {
    verifies('ROOT-11');
    expect(() => checkedRoots([{ uri }])).toThrow('must not climb');
  },
);
