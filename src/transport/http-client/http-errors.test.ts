/** Errors of HTTP responses say what is wrong with the request that was sent. */
import { expect, test } from 'vitest';
import { unauthorizedError } from './http-errors.ts';

test.each([
  [
    403,
    'Bearer error="insufficient_scope", scope="read admin"',
    { authorization: 'Bearer old' },
    '; the credentials that were sent are valid, but lack a scope (needed: read, admin); get a token that has it',
  ],
  [
    403,
    'Bearer error="insufficient_scope"',
    { Authorization: 'Bearer old' },
    '; the credentials that were sent are valid, but lack a scope; get a token that has it',
  ],
  [403, 'Bearer error="insufficient_scope", scope="read"', {}, '; pass credentials as "headers" or "auth"'],
  [
    401,
    'Bearer',
    { Authorization: 'old' },
    '; the Authorization header that was sent has no scheme; write it as "Bearer <token>"',
  ],
  [401, 'Bearer', { authorization: 'Bearer old' }, '; it did not accept the credentials that were sent; pass'],
])('the error for status %i with %s, after %j was sent, says what is wrong with it', (status, challenge, sent, why) => {
  const url = new URL('https://a.example/mcp');
  const { message } = unauthorizedError({ status, text: '', sent }, url, 'tools/call', challenge);
  expect(message).toContain(why);
});
