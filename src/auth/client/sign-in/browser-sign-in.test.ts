/** What a loopback redirect can be told; what it does is tested with sockets. */
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
])('refuses to be sent back to %j', (redirectUri) => {
  verifies('AUTH-106');
  expect(() => browserSignIn({ redirectUri })).toThrow(/^The redirectUri of browserSignIn: it must be/);
});

afterEach(() => void vi.unstubAllGlobals());

test('says so where no port can be listened on', async () => {
  vi.stubGlobal('process', undefined);
  const begun = browserSignIn().begin();
  vi.unstubAllGlobals();
  await expect(begun).rejects.toThrow('browserSignIn: a page cannot listen on a port');
});
