/** Parsing of `_meta.ui`, and header injection: text of a server cannot add a directive, keyword, scheme or undeclared source. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { verifies } from '../../../test/support/verifies.ts';
import {
  MAX_VIEW_DOMAINS,
  readViewSettings,
  sourceOf,
  viewPermissions,
  viewPolicy,
  writeViewSettings,
} from './view-policy.ts';

const ancestors = ['http://v-1.localhost:4000', 'http://localhost:3000'];

/** A policy as its directives. */
const parse = (policy: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources] as const;
    }),
  );
const policyOf = (ui: unknown, relaxed?: boolean): ReadonlyMap<string, readonly string[]> =>
  parse(viewPolicy(readViewSettings(ui).settings, ancestors, relaxed));

const strict = {
  'default-src': ["'none'"],
  'script-src': ["'self'", "'unsafe-inline'"],
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'media-src': ["'self'", 'data:'],
  'font-src': ["'none'"],
  'connect-src': ["'none'"],
  'worker-src': ["'none'"],
  'frame-src': ["'none'"],
  'object-src': ["'none'"],
  'base-uri': ["'self'"],
  'form-action': ["'none'"],
  'frame-ancestors': ancestors,
  webrtc: ["'block'"],
};

test.each([undefined, {}, { csp: {} }, null, 7, [], 'x'])(
  'a view that declares %j gets the restrictive policy of the extension',
  (ui) => {
    verifies('APP-13');
    expect(Object.fromEntries(policyOf(ui))).toEqual(strict);
  },
);

test('declared origins are added to their own directives only', () => {
  verifies('APP-12', 'APP-14');
  const csp = {
    connectDomains: ['https://api.example', 'wss://live.example:8443'],
    resourceDomains: ['https://*.cdn.example'],
    frameDomains: ['https://player.example'],
    baseUriDomains: ['https://base.example'],
  };
  const cdn = 'https://*.cdn.example';
  expect(readViewSettings({ csp }).dropped).toEqual([]);
  expect(Object.fromEntries(policyOf({ csp }))).toEqual({
    ...strict,
    'script-src': [...strict['script-src'], cdn],
    'style-src': [...strict['style-src'], cdn],
    'img-src': [...strict['img-src'], cdn],
    'media-src': [...strict['media-src'], cdn],
    'font-src': [cdn],
    'connect-src': csp.connectDomains,
    'frame-src': csp.frameDomains,
    'base-uri': ["'self'", ...csp.baseUriDomains],
  });
});

test('a relaxed policy has eval and blobs, and still no undeclared origin', () => {
  const relaxed = policyOf({}, true);
  expect(relaxed.get('script-src')).toEqual(["'self'", "'unsafe-inline'", "'unsafe-eval'", 'blob:']);
  expect(relaxed.get('worker-src')).toEqual(['blob:']);
  for (const name of ['connect-src', 'frame-src', 'object-src', 'form-action'])
    expect(relaxed.get(name)).toEqual(["'none'"]);
});

test.each([
  'https://a.example; script-src *',
  'https://a.example;',
  "'unsafe-eval'",
  "'self'",
  '*',
  'https:',
  'data:',
  'https://*',
  'https://*.com',
  'https://a.*.example',
  'https://*.*.example',
  'https://a.example\n',
  'https://a.example\r\nSet-Cookie: a=b',
  'https://a.example,https://b.example',
  'https://a.example https://b.example',
  'https://a.example/path',
  'https://a.example/',
  'https://a.example?x',
  'https://a.example#x',
  'https://user:pass@a.example',
  'https://exämple.org',
  'https://ａ.example',
  'https://a_b.example',
  'https://-a.example',
  'https://a..example',
  'https://a.example.',
  'https://a.example:*',
  'https://a.example:0',
  'https://a.example:65536',
  'https://[::1]',
  `https://${'a.'.repeat(140)}example`,
  'http://a.example',
  'ws://a.example',
  'http://*.localhost',
  'ftp://a.example',
  'javascript://a.example',
  '//a.example',
  'a.example',
  '',
  1,
  null,
  {},
  ['https://a.example'],
])('%j is rejected as an origin, and not echoed', (domain) => {
  verifies('APP-14');
  const members = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
  const csp = Object.fromEntries(members.map((name) => [name, ['https://ok.example', domain]]));
  const { settings, dropped } = readViewSettings({ csp });
  expect(dropped).toEqual(members.map((name) => `csp.${name}[1]`));
  expect([settings.connect, settings.load, settings.frames, settings.base]).toEqual(
    Array.from({ length: 4 }, () => ['https://ok.example']),
  );
});

test.each([
  ['https://a.example', 'https://a.example'],
  ['HTTPS://A.Example:8443', 'https://a.example:8443'],
  ['wss://*.a.example', 'wss://*.a.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['ws://127.0.0.1', 'ws://127.0.0.1'],
])('the origin %s is spelled %s in a policy', (origin, source) => {
  expect(sourceOf(origin)).toBe(source);
});

test('permissions, border and domain of the right type are read, and others are listed in dropped', () => {
  verifies('APP-28');
  const permissions = { camera: {}, clipboardWrite: {}, microphone: true, usb: {}, 'x; camera *': {} };
  const { settings, dropped } = readViewSettings({ permissions, domain: 'a1.host.example', prefersBorder: 'yes' });
  expect(settings).toMatchObject({ permissions: ['camera', 'clipboardWrite'], domain: 'a1.host.example' });
  expect(settings.border).toBeUndefined();
  expect([...dropped].sort()).toEqual([
    'permissions.microphone',
    'permissions: an unknown name',
    'permissions: an unknown name',
    'prefersBorder',
  ]);
  const { allow, header } = viewPermissions(settings);
  expect(allow).toBe('camera; clipboard-write');
  const policy = new Map(header.split(', ').map((one) => one.split('=') as [string, string]));
  expect([...policy].filter(([, list]) => list !== '()')).toEqual([
    ['camera', '(self)'],
    ['clipboard-write', '(self)'],
  ]);
  expect(policy.get('microphone')).toBe('()');
  expect(policy.get('geolocation')).toBe('()');
  for (const domain of ['a b', '-a', 'a-', '.a', 'a.', 'a/b', `a${'b'.repeat(252)}c`])
    expect(readViewSettings({ domain }).dropped).toEqual(['domain']);
  for (const domain of ['a', 'A1.Host.example', `a${'b'.repeat(251)}c`])
    expect(readViewSettings({ domain })).toMatchObject({ settings: { domain }, dropped: [] });
});

test('a list of origins is truncated, and dropped says where', () => {
  const connectDomains = Array.from({ length: MAX_VIEW_DOMAINS + 1 }, (_, index) => `https://h${index}.example`);
  const { settings, dropped } = readViewSettings({ csp: { connectDomains } });
  expect(settings.connect).toHaveLength(MAX_VIEW_DOMAINS);
  expect(dropped).toEqual([`csp.connectDomains[${MAX_VIEW_DOMAINS}] and later`]);
});

test('a page that frames a view must have an origin', () => {
  expect(() => viewPolicy(readViewSettings({}).settings, ['https://a.example; script-src *'])).toThrow('no origin');
});

/** Anything at all, and much of what looks like an origin or a directive. */
const piece = fc.constantFrom(
  ...['https://', 'http://', 'wss:', 'https:', 'data:', '*', '*.', 'a.example', 'localhost', ':8', ':*', '/', ';'],
  ...["'self'", "'unsafe-eval'", 'script-src', ' ', '\n', '\t', ',', '@', '"', '\u2028', 'é', '%3B'],
);
const hostile = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((all) => all.join('')),
  fc.string({ unit: anyCharacter }),
);
const list = fc.oneof(fc.array(fc.oneof(hostile, fc.jsonValue())), fc.jsonValue());
const anyUi = fc.record(
  {
    csp: fc.record(
      { connectDomains: list, resourceDomains: list, frameDomains: list, baseUriDomains: list },
      { requiredKeys: [] },
    ),
    permissions: fc.dictionary(fc.oneof(hostile, fc.constantFrom('camera', '__proto__')), fc.jsonValue()),
    domain: fc.oneof(hostile, fc.jsonValue()),
    prefersBorder: fc.jsonValue(),
  },
  { requiredKeys: [] },
);

test('no metadata adds a directive, a keyword source, a scheme source or a character that ends a header', () => {
  verifies('APP-14');
  const base: Readonly<Record<string, readonly string[]>> = strict;
  fc.assert(
    fc.property(anyUi, (ui) => {
      const { settings } = readViewSettings(ui);
      const policy = viewPolicy(settings, ancestors);
      expect(policy).toMatch(/^[\x21-\x7e ]+$/);
      const found = parse(policy);
      expect([...found.keys()]).toEqual(Object.keys(strict));
      for (const [name, sources] of found) {
        const added = sources.filter((source) => base[name]?.includes(source) !== true);
        for (const source of added)
          expect(source).toMatch(/^(?:https|wss|http|ws):\/\/(?:\*\.)?[a-z0-9][a-z0-9.-]*(?::\d+)?$/);
      }
      const { allow, header } = viewPermissions(settings);
      expect(`${allow} ${header}`).toMatch(/^[a-z;,=() -]*$/);
    }),
    { numRuns: 500 },
  );
});

test('what is written of settings is read as the same settings', () => {
  fc.assert(
    fc.property(anyUi, (ui) => {
      const { settings } = readViewSettings(ui);
      expect(readViewSettings(writeViewSettings(settings))).toEqual({ settings, dropped: [] });
    }),
  );
});

test.each([
  'see https://host.example',
  '1://host.example',
  'a b://host.example',
  'https://',
  'https://host.example; script-src *',
  'https://host.example/path',
  "'self'",
  '*',
])('viewPolicy() rejects an ancestor without an origin: %s', (ancestor) => {
  const { settings } = readViewSettings({});
  expect(() => viewPolicy(settings, ['https://host.example', ancestor])).toThrow('a page around it has no origin');
  expect(viewPolicy(settings, ['APP+x.1://Host.example'])).toContain('frame-ancestors APP+x.1://Host.example');
});
