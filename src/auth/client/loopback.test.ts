/** What a loopback redirect can be told; what it does is tested with sockets. */
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { loopback } from './loopback.ts';

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
  expect(() => loopback({ redirectUri })).toThrow(/^The redirectUri of loopback: it must be/);
});
