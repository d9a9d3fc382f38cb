/** blockFault(): valid content blocks, and error texts for invalid ones. */
import { expect, test } from 'vitest';
import { verifies } from '../../test/support/verifies.ts';
import { blockFault } from './block-fault.ts';

test.each([
  { type: 'text', text: '' },
  { type: 'image', data: '', mimeType: 'image/png' },
  { type: 'image', data: 'QQ==', mimeType: 'image/svg+xml; charset=utf-8' },
  { type: 'audio', data: 'QUI=', mimeType: 'audio/wav' },
  { type: 'resource_link', uri: 'a:b', name: 'n' },
  { type: 'resource', resource: { uri: 'a:b', text: 'x' } },
  { type: 'resource', resource: { uri: 'a:b', mimeType: 'application/pdf', blob: 'QUJD' } },
])('the block %j is valid', (block) => {
  expect(blockFault(block)).toBeUndefined();
});

test.each<[string, unknown]>([
  ['content is one block', [{ type: 'text', text: 'x' }]],
  ['content is one block', 'x'],
  ['content is one block', undefined],
  ['text needs a "text"', { type: 'text' }],
  ['there is no block of type "tool_use"', { type: 'tool_use' }],
  ['there is no block of type undefined', {}],
])('%s: the block %j is invalid', (why, block) => {
  verifies('PROMPT-10');
  expect(blockFault(block)).toBe(why);
});

test.each(['image', 'audio'])('%s is base64 with a MIME type', (type) => {
  verifies('PROMPT-7', 'PROMPT-8');
  const why = `${type} needs "data" in base64 and a "mimeType"`;
  for (const data of [
    'Q',
    'QQ',
    'QQ=',
    'Q===',
    '====',
    'QQ-_',
    'QQ==QQ==',
    'data:image/png;base64,QQ==',
    7,
    undefined,
  ]) {
    expect(blockFault({ type, data, mimeType: 'image/png' }), String(data)).toBe(why);
  }
  for (const mimeType of ['png', '/png', 'image/', 'image png', '', undefined, 7]) {
    expect(blockFault({ type, data: 'QQ==', mimeType }), String(mimeType)).toBe(why);
  }
});

test('base64 of a long image is checked in one pass', () => {
  const data = 'QUJD'.repeat(1_000_000);
  expect(blockFault({ type: 'image', data, mimeType: 'image/png' })).toBeUndefined();
  expect(blockFault({ type: 'image', data: `${data}****`, mimeType: 'image/png' })).toBeDefined();
});

test.each<[string, unknown]>([
  ['an embedded resource needs a "resource"', undefined],
  ['an embedded resource needs a URI', { text: 'x' }],
  ['an embedded resource needs a URI', { uri: 'no uri', text: 'x' }],
  ['"png" is no MIME type', { uri: 'a:b', mimeType: 'png', text: 'x' }],
  ['an embedded resource has text, or a blob in base64', { uri: 'a:b' }],
  ['an embedded resource has text, or a blob in base64', { uri: 'a:b', blob: '*' }],
])('%s: not %j', (why, resource) => {
  verifies('PROMPT-9');
  expect(blockFault({ type: 'resource', resource })).toBe(why);
});

test('a resource link needs a URI and a name', () => {
  for (const link of [{ uri: 'a:b' }, { name: 'n' }, { uri: 'no uri', name: 'n' }]) {
    expect(blockFault({ type: 'resource_link', ...link })).toBe('a link needs a URI and a "name"');
  }
});
