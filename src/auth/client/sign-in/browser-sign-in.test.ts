/** The options of browserSignIn(), which are checked before it listens. */
import { afterEach, expect, test, vi } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { browserSignIn } from './browser-sign-in.ts';

test.each([
  'https://127.0.0.1/callback',
  'https://app.example/callback',
  'http://app.example/callback',
  'http://0.0.0.0/callback',
  'http://127.0.0.1/callback?x=1',
  'http://127.0.0.1/callback#x',
  'myapp://callback',
  '/callback',
])('browserSignIn() rejects the redirect URI %j', (redirectUri) => {
  verifies('AUTH-106');
  expect(() => browserSignIn({ redirectUri })).toThrow(/^The redirectUri of browserSignIn: it must be/);
});

afterEach(() => void vi.unstubAllGlobals());

test('browserSignIn() rejects in a browser page', async () => {
  vi.stubGlobal('process', undefined);
  const begun = browserSignIn().begin();
  vi.unstubAllGlobals();
  await expect(begun).rejects.toThrow('browserSignIn: a page cannot listen on a port');
});
