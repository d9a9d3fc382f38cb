import { Buffer } from 'node:buffer';
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { describe, expect, test, vi } from 'vitest';
import { FakeWeb, status } from '../../../test/support/fake-web.ts';
import { HeldClock } from '../../../test/support/held-clock.ts';
import { verifies } from '../../../test/support/verifies.ts';
import type { Icon } from '../../model/content.ts';
import { bestIcon } from './best-icon.ts';
import { type CheckedIcon, checkedIcon, type IconOptions } from './checked-icon.ts';
import { readImageInfo } from './image.ts';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
const u32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const u24le = (value: number): number[] => [value & 255, (value >>> 8) & 255, value >>> 16];
const u32le = (value: number): number[] => u32(value).toReversed();

const chunk = (kind: string, data: readonly number[]): Buffer => bytes(u32(data.length), kind, data, u32(0));
const png = (width = 32, height = 32, ...more: readonly Buffer[]): Buffer =>
  Buffer.concat([
    bytes([0x89], 'PNG\r\n\u001a\n'),
    chunk('IHDR', [...u32(width), ...u32(height), 8, 6, 0, 0, 0]),
    ...more,
    chunk('IEND', []),
  ]);
const jpeg = (width = 32, height = 32): Buffer =>
  bytes([
    0xff,
    0xd8,
    0xff,
    0xe0,
    0,
    4,
    1,
    2,
    0xff,
    0xff,
    0xc4,
    0,
    3,
    0,
    0xff,
    0xc2,
    0,
    11,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    1,
    1,
    1,
    1,
  ]);
const riff = (...chunks: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(chunks);
  return Buffer.concat([bytes('RIFF', u32le(body.length + 4), 'WEBP'), body]);
};
const part = (kind: string, data: readonly number[]): Buffer =>
  bytes(kind, u32le(data.length), data, data.length % 2 === 1 ? [0] : []);
const extended = (width: number, height: number): Buffer =>
  part('VP8X', [2, 0, 0, 0, ...u24le(width - 1), ...u24le(height - 1)]);
const frame = (width: number, height: number): Buffer =>
  part('ANMF', [0, 0, 0, 0, 0, 0, ...u24le(width - 1), ...u24le(height - 1), 0, 0, 0, 0]);
const lossy = (width: number, height: number): Buffer =>
  part('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, width & 255, width >> 8, height & 255, height >> 8]);
const lossless = (width: number, height: number): Buffer =>
  part('VP8L', [0x2f, ...u32le((width - 1) | ((height - 1) << 14))]);

const data = (content: Buffer, type = 'image/png'): Icon => ({
  src: `data:${type};base64,${content.toString('base64')}`,
});
const from = 'https://shop.test/mcp';
const at = (path: string): Icon => ({ src: new URL(path, from).href });

/** A fetch that returns the same response for every URL. */
const served = (
  answer: (url: string) => Response,
  icon: Icon,
  options: IconOptions = {},
): { web: FakeWeb; checked: Promise<CheckedIcon> } => {
  const web = new FakeWeb(({ url }) => answer(url));
  return { web, checked: checkedIcon(icon, { from, fetch: web.fetch, ...options }) };
};
const file = (content: Buffer, type = 'image/png'): Response =>
  new Response(new Uint8Array(content), { headers: { 'content-type': type } });

const svg = (inside: string, attributes = ''): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"${attributes}>${inside}</svg>`);

describe('an icon file', () => {
  test.each<[string, Buffer, string]>([
    ['PNG', png(48, 32), 'image/png'],
    ['JPEG', jpeg(48, 32), 'image/jpeg'],
    ['WebP, lossy', riff(lossy(48, 32)), 'image/webp'],
    ['WebP, lossless', riff(lossless(48, 32)), 'image/webp'],
    ['WebP, extended', riff(extended(48, 32), lossy(48, 32)), 'image/webp'],
  ])('in %s is recognized by its bytes and accepted', async (_what, content, type) => {
    verifies('ICON-1', 'BASE-054', 'ICON-9', 'BASE-063');
    expect(readImageInfo(content)).toEqual({ type, width: 48, height: 32, frames: 1 });
    expect(await checkedIcon(data(content, type))).toEqual({ image: { type, bytes: new Uint8Array(content) } });
    const { checked } = served(() => file(content, type), at('/icon'));
    expect(await checked).toMatchObject({ image: { type } });
  });

  test('can be declared as image/jpg or application/octet-stream', async () => {
    verifies('BASE-054');
    for (const type of ['image/jpg', 'IMAGE/JPEG; q=1', 'application/octet-stream'])
      expect(await checkedIcon({ ...data(jpeg(), type), mimeType: 'image/jpg' })).toHaveProperty('image');
  });

  test.each([
    ['a page', Buffer.from('<html><script>alert(1)</script>')],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000')],
    ['nothing', Buffer.alloc(0)],
    ['a program', Buffer.from('\u007fELF')],
    ['half a PNG', png().subarray(0, 20)],
    ['half a JPEG', jpeg().subarray(0, 12)],
    ['half a WebP', riff(lossy(9, 9)).subarray(0, 18)],
    ['a JPEG without a size', bytes([0xff, 0xd8, 0xff, 0xd9])],
    ['a WebP of no kind', riff(part('XXXX', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]))],
  ])('that is %s is refused', async (_what, content) => {
    verifies('ICON-3', 'BASE-056', 'ICON-9', 'BASE-063');
    expect(await checkedIcon(data(content))).toHaveProperty('refused');
    expect(await served(() => file(content), at('/icon')).checked).toHaveProperty('refused');
  });

  test('of another type than declared is refused', async () => {
    verifies('ICON-9', 'BASE-063', 'SEEDF-21');
    const why = { refused: 'it is said to be image/jpeg, and is image/png' };
    expect(await checkedIcon(data(png(), 'image/jpeg'))).toEqual(why);
    expect(await checkedIcon({ ...data(png()), mimeType: 'image/jpeg' })).toEqual(why);
    expect(await served(() => file(png(), 'image/jpeg'), at('/icon')).checked).toEqual(why);
    expect(await served(() => file(png(), 'text/html'), at('/icon')).checked).toHaveProperty('refused');
  });

  test.each([
    ['too wide', png(1_025, 32)],
    ['too high', jpeg(32, 60_000)],
    ['of no width', png(0, 32)],
    ['of four thousand million pixels', png(0xffffffff, 0xffffffff)],
    ['of many frames, as it says', png(32, 32, chunk('acTL', [...u32(1_000), ...u32(0)]))],
    ['of many frames, as it has', png(32, 32, ...Array.from({ length: 40 }, () => chunk('fcTL', [0])))],
    ['a film in WebP', riff(extended(32, 32), ...Array.from({ length: 40 }, () => frame(32, 32)))],
    ['a film with one large frame', riff(extended(32, 32), frame(5_000, 5_000))],
  ])('that is %s is refused', async (_what, content) => {
    verifies('ICON-6', 'BASE-059');
    const type = readImageInfo(content)?.type ?? '';
    expect(await checkedIcon(data(content, type))).toMatchObject({ refused: expect.stringMatching(/pixels|frames/) });
  });

  test('with a short animation is accepted', async () => {
    expect(await checkedIcon(data(png(32, 32, chunk('acTL', [...u32(8), ...u32(0)]))))).toHaveProperty('image');
  });

  test('with a wrong length field is refused', () => {
    const lying = png(32, 32, bytes(u32(0xffffffff), 'junk'));
    expect(readImageInfo(lying)).toBeUndefined();
    expect(readImageInfo(riff(extended(32, 32), bytes('junk', u32le(0xfffffff0))))).toBeUndefined();
  });
});

describe('the URL of an icon', () => {
  test.each([
    'http://shop.test/icon.png',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'ftp://shop.test/icon.png',
    'ws://shop.test/icon.png',
    'wss://shop.test/icon.png',
    'blob:https://shop.test/1',
    'vscode://icon',
    '//shop.test/icon.png',
    'icon.png',
    '',
  ])('%j is not fetched', async (src) => {
    verifies('ICON-4', 'BASE-057', 'SEED-15', 'SEEDF-21');
    const { web, checked } = served(() => file(png()), { src });
    expect(await checked).toHaveProperty('refused');
    expect(web.asked).toEqual([]);
  });

  test.each(['http://shop.test', 'http://127.0.0.1:8080'])(
    'of plain http is not fetched, though the server is there and trusted: %s',
    async (origin) => {
      verifies('ICON-4', 'BASE-057');
      const options = { from: `${origin}/mcp`, trusted: [origin] };
      const { web, checked } = served(() => file(png()), { src: `${origin}/icon.png` }, options);
      expect(await checked).toEqual({ refused: 'only https: and data: are fetched, never http:' });
      expect(web.asked).toEqual([]);
    },
  );

  test('of another origin than the server’s is not fetched, unless it is trusted', async () => {
    verifies('ICON-8', 'BASE-061', 'ICON-10');
    for (const src of [
      'https://cdn.test/i.png',
      'https://shop.test:8443/i.png',
      'https://shop.test.evil.test/i.png',
      'https://a@shop.test/i.png',
    ]) {
      const { web, checked } = served(() => file(png()), { src });
      expect(await checked).toHaveProperty('refused');
      expect(web.asked).toEqual([]);
    }
    const trusted = ['https://cdn.test'];
    expect(await served(() => file(png()), { src: 'https://cdn.test/i.png' }, { trusted }).checked).toHaveProperty(
      'image',
    );
  });

  test('of a server without one is not fetched', async () => {
    verifies('ICON-8', 'BASE-061');
    for (const none of ['npx shop@1.0.0', '', undefined]) {
      const { web, checked } = served(() => file(png()), at('/icon.png'), { from: none });
      expect(await checked).toMatchObject({
        refused: expect.stringContaining('neither where the server is nor trusted'),
      });
      expect(web.asked).toEqual([]);
    }
  });

  test('in a private network is not fetched for a server outside of it', async () => {
    const { web, checked } = served(
      () => file(png()),
      { src: 'https://10.0.0.1/i.png' },
      { trusted: ['https://10.0.0.1'] },
    );
    expect(await checked).toMatchObject({ refused: expect.stringContaining('in a private network') });
    expect(web.asked).toEqual([]);
  });

  test('whose host name resolves to a private network is not fetched', async () => {
    const looked = vi.spyOn(dns, 'lookup').mockResolvedValue([{ address: '10.0.0.1', family: 4 }] as never); // the overload for `all: true`
    syncBuiltinESMExports();
    const icon = await checkedIcon({ src: 'https://cdn.test/i.png' }, { from, trusted: ['https://cdn.test'] });
    looked.mockRestore();
    syncBuiltinESMExports();
    expect(icon).toMatchObject({ refused: expect.stringContaining('cdn.test, which is 10.0.0.1, is in a private') });
  });

  test('is fetched without cookies, credentials or a referrer', async () => {
    verifies('ICON-7', 'BASE-060');
    const seen: RequestInit[] = [];
    const fetch: NonNullable<IconOptions['fetch']> = async (_url, init) => {
      seen.push(init);
      return file(png());
    };
    expect(await checkedIcon(at('/icon.png'), { from: 'https://shop.test/mcp?key=secret', fetch })).toHaveProperty(
      'image',
    );
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      method: 'GET',
      headers: { accept: 'image/*' },
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
    });
    expect(Object.keys(seen[0]?.headers ?? {})).toEqual(['accept']);
  });
});

describe('the response for an icon', () => {
  test('that redirects within the origin is followed a few times', async () => {
    const { web, checked } = served(
      (url) => (url.endsWith('/3') ? file(png()) : status(302, { location: `/${Number(url.at(-1)) + 1}` })),
      at('/0'),
    );
    expect(await checked).toHaveProperty('image');
    expect(web.asked.map(({ url }) => new URL(url).pathname)).toEqual(['/0', '/1', '/2', '/3']);
    expect(await served(() => status(302, { location: '/again' }), at('/0')).checked).toEqual({
      refused: 'it redirects too often',
    });
  });

  test.each([
    'https://elsewhere.test/i.png',
    'http://shop.test/i.png',
    'https://shop.test:8443/i.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    '//elsewhere.test/i.png',
    'https://[',
  ])('that redirects to %s is not followed', async (location) => {
    verifies('ICON-5', 'BASE-058');
    for (const trusted of [[], ['https://elsewhere.test']]) {
      const { web, checked } = served(() => status(302, { location }), at('/icon.png'), { trusted });
      expect(await checked).toEqual({ refused: 'it redirects to another origin' });
      expect(web.asked).toHaveLength(1);
    }
  });

  test.each([404, 500, 204])('with status %i is no icon', async (code) => {
    expect(await served(() => status(code), at('/icon.png')).checked).toEqual({
      refused: `it is answered with status ${code}`,
    });
  });

  test('without an end is cancelled at the size limit', async () => {
    verifies('ICON-6', 'BASE-059');
    let sent = 0;
    const endless = (): Response =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => {
            sent += 65_536;
            controller.enqueue(new Uint8Array(65_536));
          },
        }),
      );
    expect(await served(endless, at('/icon.png')).checked).toEqual({ refused: 'it has more than 524288 bytes' });
    expect(sent).toBeLessThan(2_000_000);
    expect(await checkedIcon({ src: `data:image/png;base64,${'A'.repeat(1_000_000)}` })).toHaveProperty('refused');
  });

  test('that takes too long times out', async () => {
    const clock = new HeldClock();
    const never = new Promise<Response>(() => undefined);
    const checked = checkedIcon(at('/icon.png'), { from, clock, fetch: () => never });
    await clock.pass(0);
    // Waits for the dynamic import of icon-web.ts, which the virtual clock does not cover.
    while (clock.waits.length === 0) await clock.pass(0);
    await clock.pass(10_000);
    expect(await checked).toEqual({ refused: 'it took more than 10000 ms' });
  });
});

describe('a drawing in SVG', () => {
  const drawing = svg(
    '<title>A &amp; B</title><!-- circle --><g fill="#fff"><path d="M0 0L1 1"/><circle cx="1" cy="2" r="3"/></g>',
  );

  test('is accepted only with the option svg, and only if it has nothing but shapes', async () => {
    verifies('ICON-2', 'BASE-055', 'ICON-10', 'BASE-062');
    expect(await checkedIcon(data(drawing, 'image/svg+xml'))).toMatchObject({
      refused: expect.stringContaining('not accepted'),
    });
    expect(await checkedIcon(data(drawing, 'image/svg+xml'), { svg: true })).toEqual({
      image: { type: 'image/svg+xml', bytes: new Uint8Array(drawing) },
    });
    expect(
      await checkedIcon({ src: `data:image/svg+xml,${encodeURIComponent(drawing.toString())}` }, { svg: true }),
    ).toHaveProperty('image');
    const whole = Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?>\n${svg('<rect width="1" height="1" fill="url(#a)"/>').toString()}\n`,
    );
    expect(await checkedIcon(data(whole, 'image/svg+xml'), { svg: true })).toHaveProperty('image');
  });

  test.each<[string, Buffer]>([
    ['a script', svg('<script>alert(1)</script>')],
    ['a handler', svg('', ' onload="alert(1)"')],
    ['a style', svg('<style>@import url(//evil.test)</style>')],
    ['a style attribute', svg('<path style="fill:url(//evil.test)"/>')],
    ['a link', svg('<a href="javascript:alert(1)"><path/></a>')],
    ['a picture', svg('<image href="https://evil.test/x.png"/>')],
    ['a copy of itself', svg('<g id="a"/><use href="#a"/>')],
    ['a page', svg('<foreignObject><body/></foreignObject>')],
    ['an animation', svg('<animate attributeName="href" to="javascript:x"/>')],
    ['a filter', svg('<filter><feImage href="x"/></filter>')],
    ['a reference to elsewhere', svg('<path fill="url(https://evil.test#a)"/>')],
    ['a reference in disguise', svg('<path fill="url(&#104;ttps://evil.test)"/>')],
    ['a second reference', svg('<path fill="url(#a) url(//evil.test)"/>')],
    ['a reference in capitals', svg('<path fill="URL(//evil.test)"/>')],
    ['a reference with a space', svg('<path fill="url (//evil.test)"/>')],
    ['a tag in an attribute', svg('<path d="<g>"/>')],
    ['a tag in an attribute with other quotes', svg("<path d='<g>'/>")],
    ['an escape', svg('<path fill="u\\72l(//evil.test)"/>')],
    ['an entity', Buffer.from(`<!DOCTYPE svg [<!ENTITY a "b">]>${svg('&a;').toString()}`)],
    ['an unknown entity', svg('&a;')],
    ['another namespace', svg('', ' xmlns:x="http://www.w3.org/1999/xhtml"')],
    ['two attributes of one name', svg('<path d="a" d="b"/>')],
    ['raw data', svg('<![CDATA[<script>]]>')],
    ['an instruction', svg('<?xml-stylesheet href="x"?>')],
    ['no namespace', Buffer.from('<svg><path/></svg>')],
    ['another root', Buffer.from('<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>')],
    ['the namespace of pages', Buffer.from('<svg xmlns="http://www.w3.org/1999/xhtml"><title/></svg>')],
    ['a root that is a part', Buffer.from('<g xmlns="http://www.w3.org/2000/svg"/>')],
    ['a drawing in it', svg('<svg/>')],
    ['an instruction after its end', Buffer.concat([svg(''), Buffer.from('<?xml-stylesheet href="x"?>')])],
    ['two roots', Buffer.concat([svg(''), svg('')])],
    ['no end', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><g>')],
    ['ends that do not match', svg('<g></path>')],
    ['an attribute without quotes', svg('<path onload=alert(1) />')],
    ['another encoding', Buffer.from(svg('<script/>').toString(), 'utf16le')],
    ['bytes that are no text', Buffer.concat([svg(''), Buffer.from([0xff, 0xfe])])],
    ['a lot of depth', svg('<g>'.repeat(40) + '</g>'.repeat(40))],
    ['a lot of elements', svg('<g/>'.repeat(5_000))],
    ['a lot of bytes', svg(`<path d="${'M0 0'.repeat(20_000)}"/>`)],
  ])('with %s is refused', async (_what, content) => {
    verifies('ICON-10', 'BASE-062', 'ICON-3', 'BASE-056');
    expect(await checkedIcon(data(content, 'image/svg+xml'), { svg: true })).toHaveProperty('refused');
  });
});

test('bestIcon() returns the icon that fits the place best', () => {
  verifies('ICON-11');
  const icon = (src: string, sizes?: readonly string[], theme?: 'light' | 'dark'): Icon => ({
    src,
    ...(sizes === undefined ? {} : { sizes }),
    ...(theme === undefined ? {} : { theme }),
  });
  const choose = (size: number, theme: 'light' | 'dark' | undefined, ...icons: readonly Icon[]): string | undefined =>
    bestIcon(icons, { size, theme })?.src;
  const sized = [icon('s', ['16x16']), icon('m', ['48x48', '32x32']), icon('l', ['256x256'])];
  expect([16, 20, 40, 100, 500].map((size) => choose(size, undefined, ...sized))).toEqual(['s', 'm', 'm', 'l', 'l']);
  expect(choose(100, undefined, icon('small', ['16x16']), icon('vector', ['any']))).toBe('vector');
  expect(choose(100, undefined, icon('small', ['16x16']), icon('unsaid'))).toBe('unsaid');
  expect(choose(16, 'dark', icon('l', ['16x16'], 'light'), icon('d', ['512x512'], 'dark'))).toBe('d');
  expect(choose(16, 'dark', icon('l', ['16x16'], 'light'), icon('both'))).toBe('both');
  expect(choose(16, 'dark', icon('l', ['16x16'], 'light'))).toBe('l');
  expect(choose(16, undefined, icon('first', ['16x16']), icon('second', ['16x16']))).toBe('first');
  expect(choose(16, undefined, icon('odd', ['huge', '0x', '-1x-1']), icon('good', ['16x16']))).toBe('good');
  const poison = [{ toString: 1, valueOf: 1 }] as unknown as string[]; // a hostile server can send anything
  expect(choose(16, undefined, icon('odd', poison), icon('good', ['16x16']))).toBe('good');
  expect(choose(16, undefined)).toBeUndefined();
});
