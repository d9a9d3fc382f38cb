/** Errors of HTTP responses say what is wrong with the request that was sent. */
import { expect, test } from 'vitest';
import { virtualClock } from '../../testing/virtual-clock.ts';
import { answerIn, type ErrorResponse, failureIn, retryAfter, toHttpError, unauthorizedError } from './http-errors.ts';

const mcp = new URL('https://a.example/mcp?key=of-the-url');
const answer = (status: number, text = '', more: Partial<ErrorResponse> = {}): ErrorResponse => ({
  ...{ status, text, header: () => undefined, sent: {} },
  ...more,
});
const messageOf = (response: ErrorResponse, url = mcp): string => toHttpError(response, url, 'tools/call').message;
const rpcError = (id: unknown, code = -32600): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'No such session' } });

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

test.each<[string, string, string]>([
  ['text', 'Try  later\n', '(Try  later)'],
  ['a JSON-RPC error', rpcError(1), '(No such session)'],
  ['other JSON', '{"error":"no"}', '({"error":"no"})'],
  ['a page', ' <!DOCTYPE html><title lang=en>Not\n  here</title>', '(an HTML page: "Not here")'],
  ['a page without a doctype', '<html><title>Gone</title>', '(an HTML page: "Gone")'],
  ['a page without a title', '<html><body>Not here', '(an HTML page)'],
  ['text that mentions a page', 'see <html>', '(see <html>)'],
  ['a long text', 'x'.repeat(5_000), `(${'x'.repeat(200)})`],
])('an error quotes the body of its response: %s', (_what, body, quote) => {
  expect(messageOf(answer(400, body))).toContain(quote);
  expect(messageOf(answer(400, body))).not.toContain('of-the-url');
});

test.each<[string, string, string]>([
  ['a token', 'Bearer t0ken-of-ada', 't0ken-of-ada'],
  ['a key without a scheme', 'k3y-of-ada', 'k3y-of-ada'],
  ['the first of two cookies', 'sid=s3cret-of-ada; theme=dark-mode', 's3cret-of-ada'],
  ['the last of two cookies', 'theme=dark-mode; sid=s3cret-of-ada', 's3cret-of-ada'],
  ['a part of a digest', 'Digest username="ada", response="d1gest-of-ada"', 'd1gest-of-ada'],
])('an error does not quote a secret that was sent: %s', (_what, value, secret) => {
  const name = value.includes('sid=') ? 'cookie' : 'Authorization';
  const text = `Nothing is known of ${secret}, as a Bearer or Digest of ${'x'.repeat(165)} ${secret}`;
  const message = messageOf(answer(400, text, { sent: { accept: 'text/plain', [name]: value } }));
  expect(message).toContain('Nothing is known of [masked], as a Bearer or Digest of xxx');
  expect(message).not.toContain(secret.slice(0, 6));
});

test.each<[number, string, string]>([
  [404, 'https://a.example/', 'which is often https://a.example/mcp'],
  [404, 'https://a.example/mcp', ''],
  [405, 'https://a.example/', ''],
])('the error for status %i of %s guesses the path of the server only where it is another', (status, url, guess) => {
  const message = messageOf(answer(status), new URL(url));
  if (guess === '') expect(message).not.toContain('often');
  else expect(message).toContain(guess);
});

test.each<[number, string | undefined, string, string]>([
  [428, '5', 'MCP_HTTP_REFUSED', ''],
  [429, undefined, 'MCP_HTTP_FAILED', 'try again later'],
  [430, '5', 'MCP_HTTP_REFUSED', ''],
  [499, undefined, 'MCP_HTTP_REFUSED', ''],
  [500, '120', 'MCP_HTTP_FAILED', 'try again after 120 s'],
  [503, '', 'MCP_HTTP_FAILED', 'try again later'],
  [503, '5 minutes', 'MCP_HTTP_FAILED', 'try again after 5 minutes'],
  [503, 'Fri, 01 Jan 2100', 'MCP_HTTP_FAILED', 'try again after Fri, 01 Jan 2100'],
  [503, `soon\n${'x'.repeat(100)}`, 'MCP_HTTP_FAILED', `try again after soon\\u000a${'x'.repeat(35)}`],
])('status %i with Retry-After %j is the error %s', (status, after, code, advice) => {
  const header = (name: string): string | undefined => (name === 'retry-after' ? after : undefined);
  const error = toHttpError(answer(status, '', { header }), mcp, 'tools/call');
  expect(error.code).toBe(code);
  expect(error.message.endsWith(`${advice}.`) || error.message.endsWith(advice)).toBe(true);
});

test('a rejection without a challenge is about callers for 403, and about credentials for 401', () => {
  const adviceOf = (status: number, challenge?: string): string =>
    unauthorizedError(answer(status), mcp, 'tools/call', challenge).message;
  expect(adviceOf(403)).toContain('without WWW-Authenticate');
  expect(adviceOf(403)).toContain('check what the server allows');
  expect(adviceOf(403, 'Bearer')).toContain('pass credentials');
  expect(adviceOf(401)).toContain('pass credentials');
  const long = adviceOf(401, `Bearer realm="${'x'.repeat(5_000)}"`);
  expect(long).toContain('x'.repeat(480));
  expect(long).not.toContain('x'.repeat(500));
});

test.each<[number, string, boolean]>([
  [400, rpcError(1), true],
  [400, rpcError(2), true],
  [400, rpcError(null), true],
  [404, rpcError(1), true],
  [404, rpcError(2), false],
  [404, rpcError(2, -32601), true],
  [404, rpcError(null, -32601), true],
  [500, rpcError(1), true],
  [500, rpcError(null), false],
  [499, rpcError(null), true],
  [503, rpcError(2, -32601), false],
])('of a response with status %i and the body %s, the error is that of request 1: %s', (status, text, isAnswer) => {
  expect(answerIn(answer(status, text), 1)?.error.code !== undefined).toBe(isAnswer);
});

test.each([
  '',
  'no JSON',
  '[]',
  '7',
  'null',
  '{"jsonrpc":"2.0","id":1,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"error":7}',
])('the body %j has no JSON-RPC error', (text) => {
  expect(failureIn(text)).toBeUndefined();
  expect(answerIn(answer(400, text), 1)).toBeUndefined();
});

test('Retry-After is a number of seconds or a date, and anything else is no delay', () => {
  const clock = virtualClock();
  const inTwoMinutes = new Date(clock.wall() + 120_000).toUTCString();
  const read = (header?: string): number | undefined => retryAfter(header, clock);
  expect([read('2'), read(' 0.5 '), read('0'), read(inTwoMinutes)]).toEqual([2_000, 500, 0, 120_000]);
  expect([read('-5'), read('Thu, 01 Jan 1970 00:00:00 GMT')]).toEqual([0, 0]);
  expect([read(), read(''), read('  '), read('soon'), read('Infinity')]).toEqual(Array(5).fill(undefined));
});
