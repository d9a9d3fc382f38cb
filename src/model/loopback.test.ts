import { expect, test } from 'vitest';
import { isLoopbackUrl } from '../auth/client/context/browser-url.ts';
import { isLoopbackHost } from './loopback.ts';

const local = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  '127.0.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '127.1',
  '0177.0.0.1',
  '0x7f000001',
  '2130706433',
  '127.0.0.1.',
  '::1',
  '[::1]',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
  '[::ffff:127.0.0.2]',
  '::ffff:7f00:1',
];
const remote = [
  '',
  '.',
  'app.localhost',
  'localhost.example',
  'notlocalhost',
  'localhost..',
  '127.0.0.1.example',
  '127.x1',
  '127....',
  '1.127.0.1',
  '127.0.0.256',
  '128.0.0.1',
  '126.255.255.255',
  '0.0.0.0',
  '::',
  '[::]',
  '::2',
  '::1%lo',
  '::ffff:128.0.0.1',
  '::ffff:7f:1',
  '::ffff:7f:1:2',
  '::ffff:7f00:1:2',
  '::127.0.0.1',
  '192.168.0.1',
  '10.0.0.1',
  'localhost:80',
  'localhost/x',
  'localhost@evil.example',
  'evil.example#localhost',
  'evil.example\\@localhost',
  ' localhost',
  'ⅼocalhost',
];

test.each(local)('isLoopbackHost() is true for %j', (host) => {
  expect(isLoopbackHost(host)).toBe(true);
});

test.each(remote)('isLoopbackHost() is false for %j', (host) => {
  expect(isLoopbackHost(host)).toBe(false);
});

test.each(local.filter((host) => URL.canParse(`http://${host}:80/`)))('an http URL of %j is local', (host) => {
  expect(isLoopbackUrl(new URL(`http://${host}:80/`))).toBe(true);
  expect(isLoopbackUrl(new URL(`https://${host}:80/`))).toBe(false);
});
