/** fileCredentials() before the file is opened: the key, and runtimes without files. */
import { afterEach, expect, test, vi } from 'vitest';
import { checkKey, fileCredentials } from './file-credentials.ts';

test.each(['', 'too short', '123456789012345', new Uint8Array(31), undefined, null, 5, {}])(
  'fileCredentials() rejects %j as a key',
  (key) => {
    const given = key as string; // what a program without types may pass
    expect(() => checkKey(given)).toThrow('The key of fileCredentials: it must be a string of at least 16 characters');
    expect(() => fileCredentials('/nowhere/credentials', { key: given })).toThrow('The key of fileCredentials');
  },
);

test('fileCredentials() accepts a key that is long enough', () => {
  const bytes = new Uint8Array(32);
  expect([checkKey('1234567890123456'), checkKey(bytes)]).toEqual(['1234567890123456', bytes]);
});

afterEach(() => void vi.unstubAllGlobals());

test('fileCredentials() throws in a browser page', () => {
  vi.stubGlobal('process', undefined);
  expect(() => fileCredentials('credentials', { key: new Uint8Array(32) })).toThrow('a page has no files');
});
