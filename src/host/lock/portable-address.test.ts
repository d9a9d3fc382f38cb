import { expect, test } from 'vitest';
import { portableAddress } from './portable-address.ts';

const at = (address: string): string => portableAddress(address, '/home/ada/shop/mcp.lock');

test.each([
  ['node /home/ada/shop/dist/server.js', 'node ./dist/server.js'],
  ['/home/ada/shop/bin/server --root=/home/ada/shop', './bin/server --root=.'],
  ['node "/home/ada/shop/my server.js"', 'node "./my server.js"'],
  ['npx mooring run /home/ada/shop/src/server.ts', 'npx mooring run ./src/server.ts'],
])('%s is named from the folder of the lock file', (address, portable) => {
  expect(at(address)).toBe(portable);
});

test.each([
  'node /home/ada/shop2/server.js',
  'node /mnt/home/ada/shop/server.js',
  'node /home/ada/server.js',
  'https://example.com/home/ada/shop/mcp',
  'npx -y server-files .',
])('%s stays as it is', (address) => {
  expect(at(address)).toBe(address);
});

test('a lock file in the root makes nothing relative', () => {
  expect(portableAddress('/usr/bin/node /server.js', '/mcp.lock')).toBe('/usr/bin/node /server.js');
});
