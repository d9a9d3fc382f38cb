import { expect, test } from 'vitest';
import { completedUri, completionValues } from './completed-uri.ts';

test('the values of a completion are those of its context and the one that is typed, which counts where both have it', () => {
  const argument = { name: 'name', value: 'b' };
  expect(completionValues({ argument })).toEqual({ name: 'b' });
  expect(completionValues({ argument, context: { arguments: { name: 'a', folder: 'x' } } })).toEqual({
    ...{ name: 'b', folder: 'x' },
  });
  for (const odd of [
    {},
    { argument: 'name', context: 'x' },
    { argument: { name: 7, value: 'x' }, context: {} },
    { context: { arguments: 'xy' } },
  ])
    expect(completionValues(odd)).toEqual({});
});

test('a template with values is the URI that they lead to, and text that is no template stays as it is', () => {
  expect(completedUri('file:///{folder}/{name}', { folder: 'a/b', name: 'c' })).toBe('file:///a%2Fb/c');
  expect(completedUri('file:///{folder}/{name}', { name: 'c' })).toBe('file:////c');
  for (const text of ['file:///a', 'file:///{folder', 'my prompt'])
    expect(completedUri(text, { folder: 'x' })).toBe(text);
});
