import * as fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { anyCharacter } from '../../test/support/any-character.ts';
import { verifies } from '../../test/support/verifies.ts';
import { McpError } from '../errors.ts';
import { readTemplate } from './template-expression.ts';
import { compileTemplate, locate } from './template-match.ts';
import { isTemplate, isUri, UriTemplate, type Variables } from './uri-template.ts';

const expand = (template: string, values: Parameters<UriTemplate['expand']>[0]) =>
  new UriTemplate(template).expand(values);
const match = (template: string, uri: string) => new UriTemplate(template).match(uri);

describe('expanding', () => {
  const values = {
    count: ['one', 'two', 'three'],
    dom: ['example', 'com'],
    dub: 'me/too',
    hello: 'Hello World!',
    half: '50%',
    var: 'value',
    who: 'fred',
    base: 'http://example.com/home/',
    path: '/foo/bar',
    list: ['red', 'green', 'blue'],
    keys: { semi: ';', dot: '.', comma: ',' },
    v: 6,
    x: '1024',
    y: 768,
    empty: '',
    empty_list: [],
    empty_keys: {},
    undef: null,
    truth: true,
    astral: '😀é',
    broken: 'a\ud800',
    constructor: undefined,
  };
  test.each([
    // 3.2.1
    ['{count}', 'one,two,three'],
    ['{count*}', 'one,two,three'],
    ['{/count}', '/one,two,three'],
    ['{/count*}', '/one/two/three'],
    ['{;count}', ';count=one,two,three'],
    ['{;count*}', ';count=one;count=two;count=three'],
    ['{?count}', '?count=one,two,three'],
    ['{?count*}', '?count=one&count=two&count=three'],
    ['{&count*}', '&count=one&count=two&count=three'],
    // 3.2.2
    ['{var}', 'value'],
    ['{hello}', 'Hello%20World%21'],
    ['{half}', '50%25'],
    ['O{empty}X', 'OX'],
    ['O{undef}X', 'OX'],
    ['{x,y}', '1024,768'],
    ['{x,hello,y}', '1024,Hello%20World%21,768'],
    ['?{x,empty}', '?1024,'],
    ['?{x,undef}', '?1024'],
    ['?{undef,y}', '?768'],
    ['{var:3}', 'val'],
    ['{var:30}', 'value'],
    ['{list}', 'red,green,blue'],
    ['{list*}', 'red,green,blue'],
    ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
    ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
    // 3.2.3
    ['{+var}', 'value'],
    ['{+hello}', 'Hello%20World!'],
    ['{+half}', '50%25'],
    ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
    ['{+base}index', 'http://example.com/home/index'],
    ['O{+empty}X', 'OX'],
    ['O{+undef}X', 'OX'],
    ['{+path}/here', '/foo/bar/here'],
    ['here?ref={+path}', 'here?ref=/foo/bar'],
    ['up{+path}{var}/here', 'up/foo/barvalue/here'],
    ['{+x,hello,y}', '1024,Hello%20World!,768'],
    ['{+path,x}/here', '/foo/bar,1024/here'],
    ['{+path:6}/here', '/foo/b/here'],
    ['{+list}', 'red,green,blue'],
    ['{+keys}', 'semi,;,dot,.,comma,,'],
    ['{+keys*}', 'semi=;,dot=.,comma=,'],
    // 3.2.4
    ['{#var}', '#value'],
    ['{#hello}', '#Hello%20World!'],
    ['{#half}', '#50%25'],
    ['foo{#empty}', 'foo#'],
    ['foo{#undef}', 'foo'],
    ['{#x,hello,y}', '#1024,Hello%20World!,768'],
    ['{#path:6}/here', '#/foo/b/here'],
    ['{#list*}', '#red,green,blue'],
    ['{#keys*}', '#semi=;,dot=.,comma=,'],
    // 3.2.5
    ['{.who}', '.fred'],
    ['{.who,who}', '.fred.fred'],
    ['{.half,who}', '.50%25.fred'],
    ['www{.dom*}', 'www.example.com'],
    ['X{.empty}', 'X.'],
    ['X{.undef}', 'X'],
    ['X{.var:3}', 'X.val'],
    ['X{.list}', 'X.red,green,blue'],
    ['X{.keys*}', 'X.semi=%3B.dot=..comma=%2C'],
    ['X{.empty_keys}', 'X'],
    ['X{.empty_keys*}', 'X'],
    // 3.2.6
    ['{/who}', '/fred'],
    ['{/half,who}', '/50%25/fred'],
    ['{/who,dub}', '/fred/me%2Ftoo'],
    ['{/var,empty}', '/value/'],
    ['{/var,undef}', '/value'],
    ['{/var,x}/here', '/value/1024/here'],
    ['{/var:1,var}', '/v/value'],
    ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
    ['{/keys*}', '/semi=%3B/dot=./comma=%2C'],
    // 3.2.7
    ['{;who}', ';who=fred'],
    ['{;half}', ';half=50%25'],
    ['{;empty}', ';empty'],
    ['{;v,empty,who}', ';v=6;empty;who=fred'],
    ['{;v,undef,who}', ';v=6;who=fred'],
    ['{;hello:5}', ';hello=Hello'],
    ['{;keys}', ';keys=semi,%3B,dot,.,comma,%2C'],
    ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
    // 3.2.8 and 3.2.9
    ['{?x,y}', '?x=1024&y=768'],
    ['{?x,y,empty}', '?x=1024&y=768&empty='],
    ['{?x,y,undef}', '?x=1024&y=768'],
    ['{?var:3}', '?var=val'],
    ['{?list}', '?list=red,green,blue'],
    ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
    ['{?empty_list,empty_list*,empty_keys}', ''],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
    ['{&x,y,empty}', '&x=1024&y=768&empty='],
    ['{&keys*}', '&semi=%3B&dot=.&comma=%2C'],
    // beyond the examples
    ['{truth}', 'true'],
    ['{astral}', '%F0%9F%98%80%C3%A9'],
    ['{astral:1}', '%F0%9F%98%80'],
    ['{broken}', 'a%EF%BF%BD'],
    ['café/{var}%20', 'caf%C3%A9/value%20'],
    ['{toString}{__proto__}', ''],
  ])('%s gives %s', (template, uri) => {
    expect(expand(template, values)).toBe(uri);
  });

  test('refuses a prefix of a list', () => {
    expect(() => expand('{list:2}', values)).toThrow(/prefix is taken from text/);
  });
});

describe('reading a template', () => {
  test.each([
    ['note://{id', 'the expression at character 8 is never closed'],
    ['note://id}', '"}" at character 10 cannot stand in a URI'],
    ['note://a b', '" " at character 9 cannot stand in a URI'],
    ['note://100%', '"%" at character 11 cannot stand in a URI'],
    ['note://\ud800', 'at character 8 cannot stand in a URI'],
    ['note://{}', 'expected a variable name at character 9, not ""'],
    ['note://{a,,b}', 'at character 11, not ""'],
    ['note://{a,order-id}', 'at character 11, not "order-id"'],
    ['note://{!a}', 'at character 9, not "!a"'],
    ['note://{a..b}', 'at character 9, not "a..b"'],
    ['note://{a{b}}', 'not "a{b"'],
    ['note://{a:0}', 'expected a length from 1 to 9999 at character 11, not "0"'],
    ['note://{a:3*}', 'expected a length from 1 to 9999 at character 11, not "3*"'],
    ['x'.repeat(2049), 'it has 2049 characters'],
  ])('%s says what is wrong and where', (source, why) => {
    let thrown: unknown;
    try {
      new UriTemplate(source);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(McpError);
    expect(thrown).toMatchObject({ code: 'MCP_BAD_DEFINITION', message: expect.stringContaining(why) });
  });

  test('keeps the source and names each variable once', () => {
    const template = new UriTemplate('x://{a}/{b.c,%41*}{?a,d:3}');
    expect(template.source).toBe('x://{a}/{b.c,%41*}{?a,d:3}');
    expect(template.variables).toEqual(['a', 'b.c', '%41', 'd']);
  });
});

describe('matching', () => {
  test.each<[string, string, Record<string, unknown> | undefined]>([
    ['orders://{id}', 'orders://A-1041', { id: 'A-1041' }],
    ['orders://{id}', 'orders://', undefined],
    ['orders://{id}', 'orders://a/b', undefined],
    ['orders://{id}', 'orders://a?b', undefined],
    ['orders://{id}', 'Orders://a', undefined],
    ['orders://{id}', 'orders://bob@example.com:1;x', { id: 'bob@example.com:1;x' }],
    ['orders://{id}', 'orders://caf%C3%A9%20%E2%82%AC', { id: 'café €' }],
    ['orders://{id}', 'orders://café', undefined],
    ['orders://{id}', 'orders://100%', undefined],
    ['orders://all', 'orders://all', {}],
    ['orders://all', 'orders://all/', undefined],
    ['orders://{__proto__}', 'orders://x', Object.fromEntries([['__proto__', 'x']])],
    ['note://{owner}/{id}', 'note://ada/7', { owner: 'ada', id: '7' }],
    ['note://{owner}/{id}/raw', 'note://ada/7/raw', { owner: 'ada', id: '7' }],
    ['net://{host}:{port}/{+path}', 'net://h:1/aa:2/b', { host: 'h', port: '1', path: 'aa:2/b' }],
    ['x://{a}@{+b}', 'x://1@2@3', { a: '1', b: '2@3' }],
    ['x://{+a}@{b}', 'x://1@2@3', { a: '1@2', b: '3' }],
    ['x://{a,b}', 'x://1,2', { a: '1', b: '2' }],
    ['x://{a*}', 'x://1,2%2C', { a: ['1', '2,'] }],
    ['x://{a}', 'x://1,2', { a: '1,2' }],
    ['x://{a}{b}', 'x://12%33', { a: '12', b: '3' }],
    ['x://{a}2{b}', 'x://p2%21', { a: 'p', b: '!' }],
    ['x://{name}.{ext}', 'x://a.tar.gz', { name: 'a.tar', ext: 'gz' }],
    ['x://{name}{.ext}', 'x://a.gz', { name: 'a', ext: 'gz' }],
    ['x://h{.parts*}', 'x://h.a.b', { parts: ['a', 'b'] }],
    ['x://h{/a}', 'x://h/1', { a: '1' }],
    ['x://h{/a}', 'x://h', undefined],
    ['x://h{/a,b}', 'x://h/1/2', { a: '1', b: '2' }],
    ['x://h{/a*}', 'x://h/1/2%2E5/3', { a: ['1', '2.5', '3'] }],
    ['x://h{/a*}', 'x://h/1//3', undefined],
    ['x://h{/a*}/end', 'x://h/1/2/end', { a: ['1', '2'] }],
    ['file:///{+path}', 'file:///a/b%20c/d.txt', { path: 'a/b c/d.txt' }],
    ['x://{+path}/edit', 'x://a/b/edit', { path: 'a/b' }],
    ['x://{+path}{?q}', 'x://a/b?q=1', { path: 'a/b', q: '1' }],
    ['x://{+path}{;v}', 'x://a/b;v=1', { path: 'a/b', v: '1' }],
    ['x://{+path}', 'x://a?b#c', { path: 'a?b#c' }],
    ['x://a{#part}', 'x://a#1/2?', { part: '1/2?' }],
    ['x://a{;v,w}', 'x://a;w;v=1', { v: '1', w: '' }],
    ['x://{id}{;v*}', 'x://a;v=1;v=2', { id: 'a', v: ['1', '2'] }],
    ['x://a{?q,lang}', 'x://a?q=b/c&lang=en', { q: 'b/c', lang: 'en' }],
    ['x://a{?q,lang}', 'x://a?lang=en', { lang: 'en' }],
    ['x://a{?q,lang}', 'x://a?q=', { q: '' }],
    ['x://a{?q,lang}', 'x://a', {}],
    ['x://a{?q,lang}', 'x://a?', undefined],
    ['x://a{?q,lang}', 'x://a?other=1', undefined],
    ['x://a{?q}', 'x://a?q=1&q=2', undefined],
    ['x://a{?q*}', 'x://a?q=1&q=2', { q: ['1', '2'] }],
    ['x://a{?q,r*}{#s}', 'x://a?r=1&q=2&r=3#4', { q: '2', r: ['1', '3'], s: '4' }],
    ['x://a{?q}{&lang}{&page}', 'x://a?page=2&q=1', { q: '1', page: '2' }],
    ['x://a?fixed=1{&b}', 'x://a?fixed=1&b=2', { b: '2' }],
    ['x://a?fixed=1{&b}', 'x://a?fixed=1', {}],
    ['x://{a}/{a}', 'x://1/%31', { a: '1' }],
    ['x://{a}/{a}', 'x://1/2', undefined],
    ['x://{a:3}', 'x://12%33', { a: '123' }],
    ['x://{a:3}', 'x://1234', undefined],
    ['caf%C3%A9:é{a}', 'caf%C3%A9:%C3%A91', { a: '1' }],
  ])('%s in %s is %o', (template, uri, found) => {
    expect(match(template, uri)).toEqual(found);
  });

  test('gives a record without a prototype', () => {
    const found = match('x://{a}', 'x://1');
    expect(found).toBeDefined();
    expect(Object.getPrototypeOf(found)).toBeNull();
  });

  test('takes a URI of 8192 characters and not one more', () => {
    expect(match('x://{a}', `x://${'a'.repeat(8188)}`)).toBeDefined();
    expect(match('x://{a}', `x://${'a'.repeat(8189)}`)).toBeUndefined();
  });

  test('finds again what was expanded', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter(isName);
    const segments = fc.array(segment, { minLength: 1, maxLength: 4 });
    const path = segments.map((all) => all.join('/')).filter((text) => !isDrive(text));
    const paths = fc.array(path, { minLength: 1, maxLength: 4 });
    // Reserved expansion keeps escapes and delimiters, so those cannot be restored.
    const raw = path.map((text) => text.replace(/[%?#;&]/g, '-'));
    const cases = [
      ['x://{a}', { a: segment }],
      ['x://{a}/{b}/end', { a: segment, b: segment }],
      ['x://{a,b};{c}', { a: segment, b: segment, c: segment }],
      ['x://{a*}:{b}', { a: segments, b: segment }],
      ['x://h{/a*}{;b,c*}', { a: segments, b: segment, c: segments }],
      ['x://{a}{/b}{?c,d*}{#e}', { a: segment, b: segment, c: path, d: paths, e: raw }],
      ['file:///{+a}{?b}{&c}', { a: raw, b: path, c: path }],
    ] as const;
    for (const [template, shape] of cases)
      fc.assert(
        fc.property(fc.record<Record<string, string | string[]>>(shape), (values) => {
          expect({ ...match(template, expand(template, values)) }).toEqual(values);
        }),
      );
  });

  test('finds only values that give the URI back', () => {
    const templates = [
      'x:{a}',
      'x:{a}{b}',
      'x:{a}/{b}',
      'x:{a}.{b}',
      'x:{+a}/{b}',
      'x:{a}{/b*}',
      'x:{+a}{.b}a',
      'x:{a,b}{#c}',
    ];
    const piece = fc.constantFrom('a', 'b', '.', '..', '/', ',', '#', '%2e', '%2F', '%61', '%', '%C3%A9', '\\');
    const uri = fc.array(piece, { maxLength: 12 }).map((pieces) => `x:${pieces.join('')}`);
    fc.assert(
      fc.property(fc.constantFrom(...templates), uri, (template, text) => {
        const found = match(template, text);
        if (!found) return;
        expect(decodeURIComponent(expand(template, found))).toBe(decodeURIComponent(text));
        expect(Object.values(found).flat().filter(isTraversal)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  test('reads each character a fixed number of times per step, whatever the URI', () => {
    const templates = [
      '{a}{b}{c}{d}{e}!',
      '{+a}a{+b}a{+c}a{+d}!',
      '{a}aaaa{b}aaab',
      '{/a*}{/b*}{/c*}!',
      '{+a}{?b}{&c}{#d}!',
      '{;a}{;b}/{;c}!',
    ];
    const unit = fc.constantFrom('a', 'a/', '/', '%61', '%', ';a=', '?a', '&', 'aaab', '.');
    fc.assert(
      fc.property(fc.constantFrom(...templates), unit, fc.integer({ min: 0, max: 2000 }), (template, text, times) => {
        const steps = compileTemplate(readTemplate(template));
        const counted = countReads(text.repeat(times));
        locate(steps, counted);
        const perCharacter = steps.reduce((sum, step) => sum + (typeof step === 'string' ? step.length : 7), 0);
        expect(counted.reads).toBeLessThanOrEqual(perCharacter * (counted.length + 1));
      }),
    );
  });
});

describe('traversal', () => {
  const dots = ['.', '%2e', '%2E'].flatMap((one, _, all) => all.map((other) => one + other));
  const slashes = ['/', '%2f', '%2F', '\\', '%5c', '%5C'];
  const overlong = [
    '%c0%ae',
    '%e0%80%ae',
    '%f0%80%80%ae',
    '%c0%af',
    '%c1%9c',
    '%ff',
    '%c3',
    '%ed%a0%80',
    '%u002e',
    '%2',
  ];
  const climbs = dots.flatMap((up) => [
    up,
    `${up}%20`,
    ...slashes.flatMap((slash) => [
      `${up}${slash}`,
      `${up}${slash}etc`,
      `a${slash}${up}`,
      `a${slash}${up}${slash}${up}${slash}b`,
    ]),
  ]);
  const outside = [
    ...climbs,
    ...['\\', '%5c', '%5C', '%00', 'a%00.txt', 'a%5Cb', '..%00/'],
    ...overlong,
    ...overlong.map((two) => `${two}${two}/`),
  ];
  const names = [...outside, '.', '%2e', '%2E', 'a/b', 'a%2Fb', 'a%2fb', '%2F', '%2Fetc%2Fpasswd'];
  const paths = [
    ...outside,
    '/etc/passwd',
    '%2Fetc',
    '%2fetc',
    '//host/share',
    'C:/x',
    'c%3A%2Fx',
    '%43:x',
    'C:',
    'c:\\x',
  ];

  test('no spelling of a name leads out of its segment', () => {
    verifies('RES-34');
    const templates = [
      'file:///docs/{v}',
      'file:///docs/{v}/x',
      'file:///docs{/v}',
      'file:///docs{/v*}',
      'file:///a{.v}',
      'file:///a{;v}',
      'file:///{v*}',
    ];
    const lead = (template: string) =>
      template.includes('{;') ? ';v=' : template.includes('{/') ? '/' : template.includes('{.') ? '.' : '';
    for (const template of templates)
      for (const spelling of names) {
        const uri = template.replace(/\{.*\}/, lead(template) + spelling);
        // A list can have several segments; none can be a dot, two dots or contain a slash.
        const found = [match(template, uri)?.['v'] ?? []].flat();
        expect(
          found.filter((value) => !isName(value)),
          uri,
        ).toEqual([]);
        if (template !== 'file:///docs{/v*}') expect(found, uri).toEqual([]);
      }
    expect(names.length).toBeGreaterThan(250);
  });

  test('no spelling of a path leads out of its root', () => {
    verifies('RES-34');
    for (const [template, lead] of [
      ['file:///{+v}', ''],
      ['file:///{+v}/x', ''],
      ['file:///a{?v}', '?v='],
      ['file:///a?b=1{&v}', '&v='],
      ['file:///a{#v}', '#'],
    ] as const)
      for (const spelling of paths) {
        const uri = template.replace(/\{.*\}/, lead + spelling);
        expect(match(template, uri), uri).toBeUndefined();
      }
  });

  test('what was encoded twice is decoded once and stays text', () => {
    verifies('RES-34');
    expect(match('file:///docs/{v}', 'file:///docs/%252e%252e%252fetc')).toEqual({ v: '%2e%2e%2fetc' });
    expect(match('file:///{+v}', 'file:///a/%252e%252e/%255c%2500')).toEqual({ v: 'a/%2e%2e/%5c%00' });
  });

  test('dots that climb nowhere are fine', () => {
    for (const name of ['...', '..a', 'a..', '.a', 'a.b', '.git']) {
      expect(match('file:///docs/{v}', `file:///docs/${name}`)).toEqual({ v: name });
      expect(match('file:///{+v}', `file:///a/${name}/b`)).toEqual({ v: `a/${name}/b` });
    }
    expect(match('file:///{+v}', 'file:///ab:c/d:/')).toEqual({ v: 'ab:c/d:/' });
  });
});

describe('the type of the variables', () => {
  test('follows the literal', () => {
    expectTypeOf<keyof Variables<'note://{owner}/{id}'>>().toEqualTypeOf<'owner' | 'id'>();
    expectTypeOf<keyof Variables<'file:///{+path}'>>().toEqualTypeOf<'path'>();
    expectTypeOf<keyof Variables<'x://a{?q,lang}{&p}{#f}{;s}{.e}{/d*}'>>().toEqualTypeOf<
      'q' | 'lang' | 'p' | 'f' | 's' | 'e' | 'd'
    >();
    expectTypeOf<keyof Variables<'x://{list*}/{name:3}'>>().toEqualTypeOf<'list' | 'name'>();
    expectTypeOf<keyof Variables<'x://plain'>>().toEqualTypeOf<never>();
    expectTypeOf<keyof Variables<string>>().toEqualTypeOf<string>();
    const listed = <const T extends string>(source: T, ...names: readonly (keyof Variables<T> & string)[]) =>
      expect(new UriTemplate(source).variables).toEqual(names);
    listed('note://{owner}/{id}', 'owner', 'id');
    listed('x://{list*}/{name:3}{?q,lang}{/d*}', 'list', 'name', 'q', 'lang', 'd');
    // @ts-expect-error the template has no such variable
    expect(() => listed('note://{owner}', 'author')).toThrow();
  });
});

describe('telling URIs from templates', () => {
  test('a brace makes a template', () => {
    expect(isTemplate('note://{id}')).toBe(true);
    expect(isTemplate('note://{id')).toBe(true);
    expect(isTemplate('note://id')).toBe(false);
  });

  test.each([
    'a:',
    'urn:isbn:0451450523',
    'orders://A-1041',
    'file:///a/b%20c',
    'x-y.z+1://user:pw@host:80/a;b=1/c?d=/?e#f/?g',
    'http://[::1]:80/',
    'http://[v1.a:b]',
    'mailto:a@b.example',
    'x://',
    'x:?q',
    'x:#f',
  ])('%s is a URI', (uri) => {
    expect(isUri(uri)).toBe(true);
  });

  test.each([
    '',
    'plain',
    '/a/b',
    '//host/a',
    ':a',
    '1a:b',
    'a_b:c',
    'a%41:c',
    'a/b:c',
    'a?b:c',
    'x:a b',
    'x:é',
    'x:a\\b',
    'x:a\nb',
    'x:\0',
    'x:<a>',
    'x:"a"',
    'x:{a}',
    'x:a|b',
    'x:a^b',
    'x:a`b',
    'x:%',
    'x:%4',
    'x:%4g',
    'x:a#b#c',
    'x:[a]',
    'x://a[b]',
    'x://[::1',
    'x://[]',
    'x://[::1]a',
    'x://[%41]',
    'x://a@b@c',
    'x://a:b:c',
    'x://a:80x',
    'x:?[a]',
  ])('%j is none', (uri) => {
    expect(isUri(uri)).toBe(false);
  });

  test('what a template expands to is a URI', () => {
    const values = fc.record({ a: fc.string({ unit: anyCharacter }), b: fc.array(fc.string()), c: fc.string() });
    fc.assert(
      fc.property(values, (v) => {
        expect(isUri(expand('x://h/{a}{/b*}{;c}{?a,b*}{&c}', v))).toBe(true);
      }),
    );
  });
});

/** An independent implementation: walks the segments and checks for climbing or another root. */
function isTraversal(value: string): boolean {
  return /\0|\\|^\/|^[a-z]:|(^|\/)\.\.\s*(\/|$)/i.test(value);
}

function isName(value: string): boolean {
  return !/[/\0\\]|^\.\.?\s*$/.test(value);
}

function isDrive(value: string): boolean {
  return /^[a-z]:|^\//i.test(value);
}

function countReads(text: string) {
  const counted = {
    reads: 0,
    length: text.length,
    charCodeAt(index: number): number {
      counted.reads++;
      return text.charCodeAt(index);
    },
  };
  return counted;
}
