/** The error for an unknown name, and the name that a caller wrote. */
import { expect, test } from 'vitest';
import { requestedName, unknownPart } from './unknown-part.ts';

test.each([
  ['tools/call', { name: 'find', uri: 'x:y', ref: {} }, 'find'],
  ['prompts/get', { name: 'greet', uri: 'x:y' }, 'greet'],
  ['resources/read', { uri: 'note://a', name: 'other' }, 'note://a'],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet', uri: 'x:y' }, name: 'other' }, 'greet'],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'note://{id}', name: 'other' } }, 'note://{id}'],
])('the name in %s with %j is %s', (method, params, name) => {
  expect(requestedName({ method, params })).toBe(name);
});

test('the error for an unknown part names it, and its URI if it has one', () => {
  for (const kind of ['tool', 'prompt'] as const)
    expect(unknownPart(kind, 'x')).toMatchObject({ code: -32602, message: `Unknown ${kind}: x`, data: undefined });
  for (const kind of ['resource', 'template'] as const)
    expect(unknownPart(kind, 'x:y')).toMatchObject({ message: 'Unknown resource: x:y', data: { uri: 'x:y' } });
});
