/** Access without HTTP: every combination of headers, and the lifetime of tokens. */
import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { tokenIn } from '../../test/support/workbench.ts';
import { virtualClock } from '../testing/virtual-clock.ts';
import { Access, hostOf } from './access.ts';

const HOST = '127.0.0.1:4460';
const own = { host: HOST, origin: `http://${HOST}` };

function accessOf() {
  const [clock, foreign] = [virtualClock(), [] as string[]];
  const access = new Access({ clock, onForeignOrigin: (origin) => void foreign.push(origin) });
  access.host = HOST;
  const start = (): string => access.exchange(tokenIn(access.invite())) ?? '';
  const passes = (headers: IncomingHttpHeaders, method: string, isOpened = false): boolean =>
    access.fault(headers, { method, isOpened }) === undefined;
  return { access, clock, foreign, start, passes };
}

test.each<[IncomingHttpHeaders, { post: boolean; get: boolean; opened: boolean }]>([
  [own, { post: true, get: true, opened: true }],
  [
    { ...own, 'sec-fetch-site': 'same-origin' },
    { post: true, get: true, opened: true },
  ],
  [
    { host: HOST, 'sec-fetch-site': 'same-origin' },
    { post: false, get: true, opened: true },
  ],
  [
    { host: HOST, 'sec-fetch-site': 'none' },
    { post: false, get: false, opened: true },
  ],
  [
    { ...own, 'sec-fetch-site': 'none' },
    { post: false, get: false, opened: true },
  ],
  [{ host: HOST }, { post: false, get: false, opened: true }],
  [
    { ...own, 'sec-fetch-site': 'same-site' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, 'sec-fetch-site': 'cross-site' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, 'sec-fetch-site': 'Same-Origin' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, 'sec-fetch-site': '' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, 'sec-fetch-site': 'same-origin, cross-site' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, origin: 'null' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, origin: '' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, origin: `https://${HOST}` },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, origin: `http://${HOST}/` },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, origin: `http://${HOST}, http://evil.example` },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, origin: 'http://localhost:4460' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, host: undefined },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, host: '' },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, host: `${HOST}.` },
    { post: false, get: false, opened: false },
  ],
  [
    { ...own, host: '127.0.0.1:04460' },
    { post: false, get: false, opened: false },
  ],
])('with the headers %j, a request passes: %j', (headers, expected) => {
  const { passes } = accessOf();
  const [post, get, opened] = [passes(headers, 'POST'), passes(headers, 'GET'), passes(headers, 'GET', true)];
  expect({ post, get, opened }).toEqual(expected);
});

test('each foreign origin is reported once, and only the first hundred origins', () => {
  const { passes, foreign } = accessOf();
  for (let n = 0; n < 150; n++) for (const _ of [0, 1]) passes({ ...own, origin: `http://a${n}.example` }, 'POST');
  passes({ ...own, 'sec-fetch-site': 'same-site' }, 'GET');
  expect(foreign).toEqual(Array.from({ length: 100 }, (_, n) => `http://a${n}.example`));
});

test('a start token can be exchanged once within two minutes, and is never valid as a session token', async () => {
  const { access, clock } = accessOf();
  const [first, second] = [tokenIn(access.invite()), tokenIn(access.invite())];
  await clock.advance(2 * 60_000);
  const token = access.exchange(first) ?? '';
  expect([
    access.exchange(first),
    access.isAuthorized(`Bearer ${first}`),
    access.isAuthorized(`Bearer ${token}`),
  ]).toEqual([undefined, false, true]);
  await clock.advance(1);
  expect([access.exchange(second), access.exchange(''), access.exchange(token)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('tokens have 256 random bits, and the one of a start is in the fragment of its URL', () => {
  const { access } = accessOf();
  const urls = Array.from({ length: 20 }, () => access.invite());
  for (const url of urls) expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4460\/#t=[\w-]{43}$/);
  const tokens = [...urls.map(tokenIn), ...urls.map((url) => access.exchange(tokenIn(url)) ?? '')];
  expect(new Set(tokens).size).toBe(40);
  for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
});

test('a session token is accepted only in its exact spelling', () => {
  const { access, start } = accessOf();
  expect(access.isAuthorized('Bearer ')).toBe(false);
  const token = start();
  const others = [
    `bearer ${token}`,
    `Bearer  ${token}`,
    `Bearer ${token} `,
    `Bearer ${token}=`,
    token,
    `Basic ${token}`,
  ];
  for (const header of [
    ...others,
    `Bearer ${token},x`,
    `Bearer ${token}\n`,
    `Bearer x${token}`,
    'Bearer',
    '',
    undefined,
  ])
    expect([header, access.isAuthorized(header)]).toEqual([header, false]);
  expect(access.isAuthorized(`Bearer ${token}`)).toBe(true);
});

test('beyond a hundred start tokens or session tokens, the oldest is evicted', () => {
  const { access, start } = accessOf();
  const invited = Array.from({ length: 101 }, () => tokenIn(access.invite()));
  expect(access.exchange(invited[0] ?? '')).toBeUndefined();
  const sessions = [access.exchange(invited[1] ?? '') ?? '', ...Array.from({ length: 100 }, start)];
  expect(sessions.map((token) => access.isAuthorized(`Bearer ${token}`))).toEqual([false, ...Array(100).fill(true)]);
});

test.each([
  [{ address: '127.0.0.1', family: 'IPv4', port: 4460 }, '127.0.0.1:4460'],
  [{ address: '127.0.0.1', family: 'IPv4', port: 80 }, '127.0.0.1'],
  [{ address: '127.0.0.1', family: 'IPv4', port: 443 }, '127.0.0.1:443'],
  [{ address: '::1', family: 'IPv6', port: 4460 }, '[::1]:4460'],
  [{ address: '::1', family: 'IPv6', port: 80 }, '[::1]'],
])('a page of a workbench at %o passes with the Host that browsers send: %s', (address, host) => {
  expect(hostOf(address)).toBe(host);
  const { access } = accessOf();
  access.host = hostOf(address);
  const headers = { host, origin: `http://${host}` };
  expect(access.fault(headers, { method: 'POST', isOpened: false })).toBeUndefined();
  expect(access.fault({ ...headers, host: `${host}:81` }, { method: 'POST', isOpened: false })).toContain('Host');
});
