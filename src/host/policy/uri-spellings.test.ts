import { describe, expect, test } from 'vitest';
import { act, everyKind } from '../../../test/support/acts.ts';
import type { ActKind } from '../act/act.ts';
import type { Rule } from '../act/rule.ts';
import { decidePolicy } from './decide-policy.ts';
import { rules } from './rules.ts';
import { certainSpellings, hasParentSegment, normalizeUri, spellingsOf } from './uri-spellings.ts';

const said = (rule: Rule, name: string, kind: ActKind = 'resource'): boolean =>
  decidePolicy([rule], act({ kind, name, arguments: {} }), { count: () => 0, tokens: () => 0 }).rule !== 'none';

describe('the normal form of a URI', () => {
  test.each([
    ['HTTPS://Example.COM:443/a/./b/../c?Q=%7e#%c3', 'https://example.com/a/c?Q=~#%C3'],
    ['http://example.com', 'http://example.com/'],
    ['http://example.com:/', 'http://example.com/'],
    ['http://example.com:8080/', 'http://example.com:8080/'],
    ['https://example.com:00443/', 'https://example.com/'],
    ['https://example.com:08080/', 'https://example.com:8080/'],
    ['https://example.com:00/', 'https://example.com:0/'],
    ['ws://h:80/', 'ws://h/'],
    ['wss://h:443/', 'wss://h/'],
    ['ftp://h:21/', 'ftp://h/'],
    ['http://h:443/', 'http://h:443/'],
    ['http://h:80/', 'http://h/'],
    ['HTTP:h', 'http://h/'],
    ['HTTPS://h\\A', 'https://h/A'],
    ['http://h/?a\\b', 'http://h/?a\\b'],
    ['http://A b/', 'http://a b/'],
    ['http://a%2E*/x', 'http://a%2e*/x'],
    ['http://a\nb:80/', 'http://ab/'],
    ['FILE:/a', 'file:///a'],
    ['FILE:///a//b//c', 'file:///a/b/c'],
    ['file:///a?b//c', 'file:///a?b//c'],
    ['1A:b', '1A:b'],
    ['DB://U@H/x', 'db://U@h/x'],
    ['DB://u\nV@H/x', 'db://u\nV@h/x'],
    ['DB://h/a?\nB', 'db://h/a?\nB'],
    ['db://h/a?x/../B', 'db://h/a?x/../B'],
    ['db://h/?u=http:\\a', 'db://h/?u=http:\\a'],
    ['db://h/?u=file:/a', 'db://h/?u=file:/a'],
    ['db://h/?u=file://a//b', 'db://h/?u=file://a//b'],
    ['db://h/a/%2e%2E/b', 'db://h/b'],
    ['db://h/%zZ', 'db://h/%zZ'],
    ['db://h/%7e1%7E', 'db://h/~1~'],
    ['URN:a?B%41', 'urn:a?BA'],
    ['ftp:h', 'ftp://h/'],
    ['ws:/h', 'ws://h/'],
    ['WSS:\\\\h', 'wss://h/'],
    ['http:h', 'http://h/'],
    ['http://0x7f.1/', 'http://127.0.0.1/'],
    ['http://[::0001]/', 'http://[::1]/'],
    ['file://localhost/etc/passwd', 'file:///etc/passwd'],
    ['file:/etc/passwd', 'file:///etc/passwd'],
    ['file:///docs//a', 'file:///docs/a'],
    ['file:///a/../../../etc/', 'file:///etc/'],
    ['file:///a/b/..', 'file:///a/'],
    ['https:\\\\h\\a', 'https://h/a'],
    ['DB://Orders/1/../2', 'db://orders/2'],
    ['urn:Example:A/../B', 'urn:Example:A/../B'],
    ['https://u:p@h/', 'https://u:p@h/'],
    ['not a uri', 'not a uri'],
  ])('%s', (given, expected) => {
    expect(normalizeUri(given)).toBe(expected);
    expect(normalizeUri(normalizeUri(given))).toBe(expected);
  });
});

describe('the spellings of a URI', () => {
  test.each([
    ['HTTPS://u@h./x', 'https://u@h./x', 'https://h/x'],
    ['https://h.:8443/x', 'https://h:8443/x'],
    ['db://a.:b/x'],
    ['DB://h/a%2fb', 'db://h/a%2Fb', 'db://h/a/b'],
    ['db://h/a b', 'db://h/a%20b'],
    ['\tdb://h/a\nb', 'db://h/ab'],
    ['db://h/%c3%a9%zz', 'db://h/%C3%A9%zz', 'db://h/é%zz', 'db://h/%C3%A9%25zz'],
    ['db://h/%c3%a9%', 'db://h/%C3%A9%', 'db://h/é%', 'db://h/%C3%A9%25'],
    ['db://h/%ff%41%4A%2f', 'db://h/%FFAJ%2F', 'db://h/%FFAJ/', 'db://h/%25ffAJ/'],
    [`db://h/a${'%2Fa'.repeat(10)}`, `db://h/a${'/a'.repeat(10)}`],
  ])('the spellings of %j are that and %j', (given, ...others) => {
    expect(spellingsOf(given)).toEqual([given, ...others]);
  });

  test('spellings are decoded up to nine times', () => {
    const encoded = (times: number): string => `db:///%${'25'.repeat(times - 1)}41`;
    expect(spellingsOf(encoded(9))).toContain('db:///A');
    expect(spellingsOf(encoded(10))).not.toContain('db:///A');
  });

  test.each(['db://h/a../b', 'db://h/a/..b', 'db://h/a./b', 'db://h/a/.b', 'db://a.:b/x'])(
    'are certain for %s',
    (given) => {
      expect(certainSpellings(given)).toEqual([given]);
    },
  );

  test.each(['db://h/..', 'db://h/./a', 'db:../a', 'db://h/a\\..\\b', 'db://h/%2e%2e', 'db://h./a', 'db://h.:1/a'])(
    'are not certain for %s',
    (given) => {
      expect(certainSpellings(given)).toEqual([]);
    },
  );

  test.each<[string, boolean]>([
    ...['..', '../a', 'a/..', 'a/../b', 'a\\..\\b', 'a/%2e%2E/b'].map((path): [string, boolean] => [path, true]),
    ...['a..', '..a', 'a..b', 'a../b', 'a/..b', 'a/.../b'].map((path): [string, boolean] => [path, false]),
  ])('the path %s has a parent segment: %s', (path, expected) => {
    expect(hasParentSegment(path)).toBe(expected);
  });
});

describe('a rule that denies a URI', () => {
  test.each([
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    'file://localhost/etc/passwd',
    'file:/etc/passwd',
    'file:////etc/passwd',
    'file:///etc//passwd',
    'file:///docs/../etc/passwd',
    'file:///docs/%2e%2e/etc/passwd',
    'file:///docs/%252e%252e/etc/passwd',
    'file:///docs/..%2fetc%2fpasswd',
    'file:///docs/..%2f%ff/../etc/passwd',
    'file:///docs\\..\\etc\\passwd',
    'file:///%65tc/passwd',
    ' file:///etc/passwd',
    'fi\nle:///etc/passwd',
  ])('a rule that denies a URI denies %j', (name) => {
    for (const pattern of ['file:///etc/*', 'FILE:///etc/*', /^file:\/\/\/etc\//])
      expect(said(rules.deny({ name: pattern }), name)).toBe(true);
  });

  test.each([
    'file://evil.example/etc/passwd',
    'file:etc/passwd',
    'FILE:etc//passwd',
    '\u00a0\ufefffile:///etc/passwd\u3000',
  ])('a rule that denies a file denies %j, which some programs read as that file', (name) => {
    for (const pattern of ['file:///etc/*', /^file:\/\/\/etc\//])
      expect(said(rules.deny({ name: pattern }), name)).toBe(true);
  });

  test.each([
    ['file:///My%20Files/*', 'file:///My Files/a'],
    ['file:///My Files/*', 'file:///My%20Files/a'],
    ['file:///caf%c3%a9', 'file:///café'],
    ['file:///caf%C3%A9', 'file:///cafe\u0301'],
    ['file:///cafe\u0301', 'file:///caf%C3%A9'],
    ['file:///cafe%CC%81', 'file:///café'],
    ['file:///c%3A/secret/*', 'file:///c:/secret/a'],
    ['file:///c:/secret/*', 'file:///c%3A/secret/a'],
    ['db://h/a%2Fb', 'db://h/a/b'],
    ['db://h/%2a', 'db://h/%2A'],
    ['db://h/%2A', 'db://h/*'],
  ])('a rule that denies %j denies %j', (pattern, name) => {
    expect(said(rules.deny({ name: pattern }), name)).toBe(true);
  });

  test.each(['http://[::ffff:a9fe:1]:81/x', 'HTTP://u@[0:0:0:0:0:FFFF:169.254.0.1]:081/x'])(
    'a rule that denies an IPv4 address denies %s, which leads there',
    (name) => {
      for (const pattern of ['http://169.254.0.1:81/*', 'http://169.254.*', /^http:\/\/169\.254\./])
        expect(said(rules.deny({ name: pattern }), name)).toBe(true);
      for (const pattern of ['http://[::ffff:a9fe:1]:81/*', 'http://[::ffff:*'])
        expect(said(rules.deny({ name: pattern }), name.replace('u@', ''))).toBe(true);
    },
  );

  test.each(['http://[::1:ffff:a9fe:1]/', 'http://[::ffff:1:a9fe:1]/', 'db://[::ffff:a9fe:1]/'])(
    'a rule that denies an IPv4 address does not deny %s, which leads elsewhere',
    (name) => expect(said(rules.deny({ name: 'http://169.254.0.1/' }), name)).toBe(false),
  );

  test('an encoded asterisk in a rule is no wildcard', () => {
    for (const pattern of ['db://h/%2A', 'db://h/%252a'])
      expect(said(rules.deny({ name: pattern }), 'db://h/abc')).toBe(false);
  });

  test('a regular expression with escapes denies the characters, also if they are no text', () => {
    expect(said(rules.deny({ name: /My%20Files/ }), 'file:///My Files/a')).toBe(true);
    expect(said(rules.deny({ name: /^db:\/\/h\// }), 'db://h/\ud800')).toBe(true);
  });

  test.each([
    'https://evil.example/',
    'HTTPS://EVIL.EXAMPLE',
    'https://evil.example:443/x',
    'https://evil.example./x',
    'https://user:word@evil.example/x',
    'https:evil.example/x',
    'https:/evil.example/x',
    'https:\\\\evil.example\\x',
    'https://evil%2eexample/x',
    'https://evil.example:0443/',
  ])('a rule that denies a URI denies the host of %j', (name) => {
    for (const kind of ['visit', 'connect', 'resource'] as const) {
      expect(said(rules.deny({ name: 'https://evil.example/*' }), name, kind)).toBe(true);
      expect(said(rules.deny({ name: 'https://Evil.Example:443/*' }), name, kind)).toBe(true);
      expect(said(rules.ask({ name: /^https:\/\/evil\.example\// }), name, kind)).toBe(true);
    }
  });

  test.each(everyKind)('a rule denies %s in every spelling if its name is a URI', (kind) => {
    const isUri = ['connect', 'resource', 'completion', 'visit', 'message', 'context', 'skill'].includes(kind);
    const [deny, allow] = [rules.deny({ name: 'ui://a/*' }), rules.allow({ name: 'ui://a/*' })];
    expect(said(deny, 'ui://a/b', kind)).toBe(true);
    expect(said(deny, 'UI://A/x/../b', kind)).toBe(isUri);
    expect(said(allow, 'ui://a/x/../../b', kind)).toBe(!isUri);
  });

  test('a rule that denies another spelling of a URI denies the URI, and no other', () => {
    expect(said(rules.deny({ name: 'HTTPS://evil.example' }), 'https://evil.example/')).toBe(true);
    expect(said(rules.deny({ name: 'https://evil.*' }), 'https://evil.example/x')).toBe(true);
    expect(said(rules.deny({ name: 'https://evil.*' }), 'https://evil.example')).toBe(true);
    expect(said(rules.deny({ name: 'db://Orders/*' }), 'db://orders/1')).toBe(true);
    expect(said(rules.deny({ name: 'https://evil.example/*' }), 'https://good.example/evil.example/')).toBe(false);
    expect(said(rules.deny({ name: 'file:///etc/*' }), 'file:///docs/etc/a')).toBe(false);
  });
});

describe('a rule that allows a URI', () => {
  const docs = rules.allow({ name: 'file:///docs/*' });

  test.each(['file:///docs/a', 'FILE:///docs/a', 'file://localhost/docs/a', 'file:///docs/a%20b', 'file:///%64ocs/a'])(
    'allows %j',
    (name) => expect(said(docs, name)).toBe(true),
  );

  test.each([
    'file:///docs/../etc/passwd',
    'file:///docs/x/../a',
    'file:///docs/./a',
    'file:///docs/%2E%2e/etc/passwd',
    'file:///docs/%252e%252e%252fetc',
    'file:///docs/..%2fetc',
    'file:///docs/..\\etc',
    'file:///docs//a',
    'file:///docs/a\n',
    ' file:///docs/a',
    'file:/docs/a',
  ])('a rule that allows a URI does not match %j, so the user is asked', (name) => {
    expect(said(docs, name)).toBe(false);
    expect(said(rules.allow({ name: /^file:\/\/\/docs\// }), name)).toBe(false);
  });

  test('a rule allows a URI only in a spelling that all programs read alike', () => {
    const one = rules.allow({ name: /^file:\/\/\/docs\/[^/]+$/ });
    expect([said(one, 'file:///docs/a'), said(one, 'file:///docs/sub%2Fsecret')]).toEqual([true, false]);
    const good = rules.allow({ name: 'https://good.example*' });
    expect(said(good, 'https://good.example/')).toBe(true);
    expect(said(good, 'https://good.example/x')).toBe(true);
    expect(said(good, 'https://good.example@evil.example/')).toBe(false);
    expect(said(good, 'https://good.example./')).toBe(false);
    const exact = rules.allow({ name: 'https://Good.example:443/a%2fb' });
    expect([said(exact, 'https://good.example/a%2Fb'), said(exact, 'https://good.example/a/b')]).toEqual([true, false]);
    // The scheme decides whether the case of hosts matters.
    expect(said(rules.allow({ name: 'db://public/*' }), 'db://PUBLIC/1')).toBe(false);
  });

  test('a rule compares names of tools unchanged', () => {
    expect(said(rules.allow({ name: 'a:*' }), 'a:/../b', 'tool')).toBe(true);
    expect(said(rules.deny({ name: 'a:/b' }), 'A:/b', 'tool')).toBe(false);
  });
});
