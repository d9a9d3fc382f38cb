import { expect, test } from 'vitest';
import { fileName, numberedName } from './file-name.ts';

test.each<[called: string, mimeType: string | undefined, name: string]>([
  ['chart', 'image/png', 'chart.png'],
  ['file:///a/b/photo.jpg', 'image/png', 'photo.jpg'],
  ['https://a.test/x.png?size=../../1#y', undefined, 'x.png'],
  ['../../etc/passwd', undefined, 'passwd.bin'],
  ['..', 'text/plain', 'result.txt'],
  ['a%2F..%2F..%2Fb', undefined, 'a-..-..-b.bin'],
  ['a\\..\\b.txt', undefined, 'b.txt'],
  ['.bashrc', undefined, 'bashrc.bin'],
  ['--force', 'image/svg+xml', 'force.svg'],
  ['a', 'application/octet-stream', 'a.bin'],
  ['a', 'IMAGE/JPEG; q=1', 'a.jpg'],
  ['a', 'audio/x-wav', 'a.wav'],
  ['a', ' image/jpeg ', 'a.jpg'],
  ['a', 'image/gif2 ; q=1', 'a.gif2'],
  ...['an image/png', '/png', 'image/p.g', 'image/p', 'image/pngpng', 'image/png/png'].map(
    (type): [string, string, string] => ['a', type, 'a.bin'],
  ),
  ['a', 'text/markdown', 'a.md'],
  ['a', 'text/html', 'a.html'],
  ['a.abcdefghij', 'text/plain', 'a.abcdefghij'],
  ['a.abcdefghijk', 'text/plain', 'a.abcdefghijk.txt'],
  ['nul.png', undefined, '_nul.png'],
  ['COM1', undefined, '_COM1.bin'],
  ['lpt².txt', undefined, '_lpt².txt'],
  ['console.txt', undefined, 'console.txt'],
  ['acon.txt', undefined, 'acon.txt'],
  ['\u202egnp.exe\u0000', undefined, 'gnp.exe'],
  ['', 'audio/mpeg; codecs=mp3', 'result.mp3'],
  ['données', 'application/x-very-long-thing', 'données.bin'],
  ['%E0%A4%A', undefined, 'E0-A4-A.bin'],
])('%j of %s is saved as %s', (called, mimeType, name) => {
  expect(fileName(called, mimeType)).toBe(name);
});

test('no name is longer than a file system takes', () => {
  expect(fileName('x'.repeat(5000), 'image/png').length).toBeLessThan(100);
  const long = fileName(`a${'漢'.repeat(500)}.jpeg`, 'image/png');
  expect(Buffer.byteLength(long)).toBeLessThan(130);
  expect(long).toMatch(/^漢{30,}\.jpeg$/u);
  expect(fileName(`a${'-'.repeat(1_000_000)}b`, 'image/png')).toBe('b.png');
});

test('numberedName() inserts the number before the extension', () => {
  expect([numberedName('a.png', 1), numberedName('a.png', 2), numberedName('a', 3)]).toEqual([
    'a.png',
    'a-2.png',
    'a-3',
  ]);
});

test('numberedName() ignores dots in the folders of a path', () => {
  expect(numberedName('/srv/my.project/result', 2)).toBe('/srv/my.project/result-2');
});
