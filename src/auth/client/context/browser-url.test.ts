/** Which URLs can be opened in a browser, and which redirect URIs are accepted. */
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { browserUrl, redirectUrl } from './browser-url.ts';

describe('an address for a browser', () => {
  test.each([
    ['https://auth.example/authorize?state=1', 'https://auth.example/authorize?state=1'],
    ['HTTPS://Auth.Example:443/a b', 'https://auth.example/a%20b'],
    ['  https://auth.example/\t', 'https://auth.example/'],
    ['https://auth.example/"<>`;rm', 'https://auth.example/%22%3C%3E%60;rm'],
    ['http://localhost:3000/authorize', 'http://localhost:3000/authorize'],
    ['http://127.0.0.1/authorize', 'http://127.0.0.1/authorize'],
    ['http://2130706433/authorize', 'http://127.0.0.1/authorize'],
    ['http://[::1]:8080/authorize', 'http://[::1]:8080/authorize'],
  ])('%j is opened, in the spelling of the standard', (text, href) => {
    verifies('SEC-037');
    expect(browserUrl(text).href).toBe(href);
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'ftp://auth.example/',
    'ms-settings:',
    'x-apple.systempreferences:',
    'blob:https://auth.example/1',
    'view-source:https://auth.example',
    'wss://auth.example/',
  ])('%j is refused, as is every scheme that is not on the list', (text) => {
    verifies('SEC-038', 'SEC-039');
    expect(() => browserUrl(text)).toThrow(expect.objectContaining({ code: 'MCP_AUTH_BLOCKED' }));
  });

  test.each([
    'http://auth.example/authorize',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'http://192.168.0.1/',
    'http://[::2]/',
    'http://app.localhost/',
  ])('%j is refused: only this machine needs no https:', (text) => {
    verifies('SEC-037');
    expect(() => browserUrl(text)).toThrow('it must be https:, or http: on this machine');
  });

  test.each([
    'https://auth.example@evil.example/',
    'https://ada:secret@auth.example/',
    'https://:secret@auth.example/',
  ])('%j hides where it leads', (text) => {
    expect(() => browserUrl(text)).toThrow('names a user');
  });

  test.each(['', '--help', '& calc.exe', '/authorize', 'auth.example/authorize'])('%j is no URL', (text) => {
    expect(() => browserUrl(text)).toThrow('not a URL');
  });

  test('is quoted without its query, which may hold secrets', () => {
    expect(() => browserUrl('http://auth.example/a?state=secret')).toThrow(
      'The browser was not sent to http://auth.example/a: it must be',
    );
    expect(() => browserUrl('javascript:secret()')).toThrow('The browser was not sent to javascript:: it must be');
  });
});

describe('a redirect URI', () => {
  test.each(['https://app.example/callback', 'http://localhost:3000/callback', 'http://127.0.0.1/', 'http://[::1]/cb'])(
    '%j is taken',
    (text) => {
      verifies('AUTH-106');
      expect(redirectUrl(text, 'It').href).toBe(text);
    },
  );

  test.each([
    'http://app.example/callback',
    'myapp://callback',
    'urn:ietf:wg:oauth:2.0:oob',
    '/callback',
    'https://app.example/#callback',
    'https://ada@app.example/',
  ])('%j is refused', (text) => {
    verifies('AUTH-106');
    expect(() => redirectUrl(text, 'It')).toThrow('It: it must be an https: URL, or an http: URL on this machine');
  });
});
