import { describe, expect, test } from 'vitest';
import { act } from '../../../test/support/acts.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { MASK } from '../../model/secrets.ts';
import { isMaskedOrCut, maskAct, maskText } from './mask-act.ts';

const masked = (args: JsonObject): unknown => maskAct(act({ arguments: args })).arguments;

test('isMaskedOrCut() is true only for masked and truncated text', () => {
  const cut = maskText('word '.repeat(2_000));
  const hash = /[0-9a-f]{64}/.exec(cut)?.[0] ?? '';
  for (const text of [cut, `token ${MASK}`]) expect(isMaskedOrCut(text)).toBe(true);
  const alike = [`${cut} more`, cut.replace('10000', ''), cut.replace('10000', 'many')];
  const others = [cut.replace(hash, ''), cut.replace(hash, 'x'.repeat(64)), cut.replace(hash, hash.slice(1))];
  for (const text of [...alike, ...others]) expect([text, isMaskedOrCut(text)]).toEqual([text, false]);
});

describe('masking by the name of a member', () => {
  test.each([
    'password',
    'PASSWORD',
    'userPassword',
    'api_key',
    'apiKey',
    'x-api-key',
    'client_secret',
    'accessToken',
    'refresh_token',
    'Authorization',
    'cookie',
    'privateKey',
    'session_id',
    'pin',
    'auth',
  ])('masks it: %s', (name) => {
    expect(masked({ [name]: 'hunter22', other: 1 })).toEqual({ [name]: MASK, other: 1 });
    expect(masked({ deep: [{ [name]: { any: 'thing' } }] })).toEqual({ deep: [{ [name]: MASK }] });
  });

  test.each(['maxTokens', 'progressToken', 'nextPageToken', 'author', 'passenger', 'keyboard', 'tokens', 'pinned'])(
    'leaves other text unchanged: %s',
    (name) => {
      expect(masked({ [name]: 'seen' })).toEqual({ [name]: 'seen' });
    },
  );

  test('masks the values of environment variables', () => {
    expect(masked({ env: { PATH: '/bin', HOME: '/home/ada' }, cwd: '/tmp' })).toEqual({
      env: { PATH: MASK, HOME: MASK },
      cwd: '/tmp',
    });
  });

  test('masks the value after a secret flag on a command line', () => {
    const args = [
      'serve',
      '--token',
      'abc',
      '--api-key=def',
      '--verbose',
      '--port',
      '80',
      '-p',
      'x',
      '--password',
      '--x',
    ];
    const shown = ['serve', '--token', MASK, `--api-key=${MASK}`, '--verbose', '--port', '80', '-p', 'x'];
    expect(masked({ args })).toEqual({ args: [...shown, '--password', '--x'] });
  });

  test.each([
    [[{ name: 'Authorization', value: 'x' }], [{ name: 'Authorization', value: MASK }]],
    [[{ key: 'api_key', value: 'x', type: 'text' }], [{ key: 'api_key', value: MASK, type: 'text' }]],
    [[{ name: 'Accept', value: 'x' }], [{ name: 'Accept', value: 'x' }]],
    [
      [
        ['Authorization', 'x'],
        ['Accept', 'x'],
      ],
      [
        ['Authorization', MASK],
        ['Accept', 'x'],
      ],
    ],
    [
      ['curl', '-u', 'ada:x', '-u', 'ada'],
      ['curl', '-u', MASK, '-u', 'ada'],
    ],
  ])('masks a value whose neighboring name marks it as a secret: %j', (headers, shown) => {
    expect(masked({ headers })).toEqual({ headers: shown });
  });

  test('treats names such as __proto__ as plain names', () => {
    const args = JSON.parse('{"__proto__": {"password": "x"}, "constructor": "y"}') as JsonObject;
    expect(JSON.stringify(masked(args))).toBe(`{"__proto__":{"password":"${MASK}"},"constructor":"y"}`);
  });
});

describe('masking by the format of a value', () => {
  test.each([
    ['Authorization: Bearer abcdefgh12345678', `Authorization: Bearer ${MASK}`],
    ['basic dXNlcjpwYXNzd29yZA==', `basic ${MASK}`],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl end', `jwt ${MASK} end`],
    [`sk-${'a1'.repeat(12)}`, MASK],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', MASK],
    ['AKIAIOSFODNN7EXAMPLE', MASK],
    ['https://ada:hunter2@example.test/x', `https://${MASK}@example.test/x`],
    ['https://example.test/x?page=2&api_key=abc#top', `https://example.test/x?page=2&api_key=${MASK}#top`],
    ['https://example.test/cb#access_token=abc&state=1', `https://example.test/cb#access_token=${MASK}&state=1`],
    ['npx server --port 80 --api-key abc "--x"', `npx server --port 80 --api-key ${MASK} "--x"`],
    ['server --token "a b" end', `server --token ${MASK} end`],
    ['password=hunter2 user=ada', `password=${MASK} user=ada`],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nafter', `${MASK}\nafter`],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', MASK],
    ['curl -u ada:hunter2 https://a.test', `curl -u ada:${MASK} https://a.test`],
    ['curl -uada:hunter2 x', `curl -uada:${MASK} x`],
    ['curl --user "ada:hunter2" x', `curl --user "ada:${MASK}" x`],
    ['curl --proxy-user=ada:hunter2 x', `curl --proxy-user=ada:${MASK} x`],
    ["curl -H 'Authorization: hunter2' x", `curl -H 'Authorization: ${MASK}' x`],
    ['Cookie: sid=hunter2; theme=dark\nHost: a', `Cookie: ${MASK}\nHost: a`],
    ['{"user":"ada","password":"hunter2"}', `{"user":"ada","password":"${MASK}"}`],
    ['{"password":"hunter\\"2","x":1}', `{"password":"${MASK}","x":1}`],
    ['{"password":"ends in \\\\","x":1}', `{"password":"${MASK}","x":1}`],
    ['{\\"password\\": \\"hunt\\\\\\"er\\", \\"x\\": 1}', `{\\"password\\": \\"${MASK}\\", \\"x\\": 1}`],
    ['{"pin": 1234, "x": 1}', `{"pin": "${MASK}", "x": 1}`],
    ["{'api_key': 'hunter2'}", `{'api_key': '${MASK}'}`],
    ['{"token":"never closed', `{"token":"${MASK}`],
    ['Your password: hunter2', `Your password: ${MASK}`],
  ])('masks it: %s', (text, shown) => {
    expect(maskText(text)).toBe(shown);
  });

  test.each([
    'Please send the report to ada@example.test by Monday',
    'https://example.test/search?q=tokens+and+keys&page=2',
    'The basic idea is that bearers of news are not to blame',
    'a=b; SELECT * FROM t WHERE x = 1',
    'WWW-Authenticate: Bearer resource_metadata="https://a.test/x"',
    '{"properties":{"password":{"type":"string"}},"token":true}',
    `{"headers":{"Authorization":"Bearer \${TOKEN}"}}`,
    'sudo -u www-data ls; git log --user ada',
  ])('leaves other text unchanged: %s', (text) => {
    expect(maskText(text)).toBe(text);
  });

  test('also masks the name of an act', () => {
    expect(maskAct(act({ name: 'https://u:p@example.test/?token=x' })).name).toBe(
      `https://${MASK}@example.test/?token=${MASK}`,
    );
  });
});

describe('long text', () => {
  test('is truncated, and identified by its hash', () => {
    const [a, b] = ['x', 'y'].map((end) => maskText(`${'word '.repeat(2_000)}${end}`));
    expect(a).toMatch(/^(?:word )+.*… \[10001 characters, sha256 [0-9a-f]{64}\]$/);
    expect(a?.length).toBeLessThan(1_200);
    expect(a).not.toBe(b);
    expect([isMaskedOrCut(a), isMaskedOrCut('whole'), isMaskedOrCut(MASK)]).toEqual([true, false, true]);
  });

  test('is longer than 4,096 characters, and its first 1,024 are kept, but none of its last 4,096', () => {
    const words = 'word '.repeat(2_000);
    const kept = (length: number): number => maskText(words.slice(0, length)).indexOf('…');
    expect(maskText(words.slice(0, 4_096))).toBe(words.slice(0, 4_096));
    expect([4_097, 5_119, 5_120, 5_121].map(kept)).toEqual([1, 1_023, 1_024, 1_024]);
  });

  test('shows no part of a secret that the limit splits', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(65_300)}\n-----END PRIVATE KEY-----`;
    expect(maskText(`${key} token eyJ${'b'.repeat(900)}.${'c'.repeat(90)}`)).not.toMatch(/AAAA|bbbb/);
    expect(maskText(key.slice(0, 65_000))).not.toContain('AAAA');
  });

  test.each([
    ['dots', 'a.'.repeat(2_000_000)],
    ['beginnings of tokens', 'eyJaaaaaaaa-'.repeat(300_000)],
    ['beginnings of keys', '-----BEGIN PRIVATE '.repeat(200_000)],
    ['equal signs', 'a=b&'.repeat(1_000_000)],
    ['members of JSON', '"token":"'.repeat(400_000)],
    ['backslashes', `"token":"${'\\\\'.repeat(1_000_000)}`],
    ['words with dashes', 'a-'.repeat(1_000_000)],
  ])('of %s is masked in bounded time', (_what, text) => {
    expect(maskText(text).length).toBeLessThan(1_200);
  });

  test('is masked in deeply nested values', () => {
    let deep: JsonObject = { password: 'x', end: 1 };
    for (let i = 0; i < 100; i++) deep = { deep };
    expect(JSON.stringify(masked(deep))).not.toContain('"x"');
  });
});
