import { dirname } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { bubblewrap } from './bubblewrap.ts';
import { dangersOf } from './dangers.ts';

const around = (grants: Parameters<typeof bubblewrap>[0], command = 'node'): string => {
  const made = bubblewrap(grants)({ command, args: [], cwd: '/work/shop', env: {} }, 'files');
  return made === undefined ? '' : [made.command, ...made.args].join(' ');
};

test('a server that nobody granted anything reads the system and its own folder, and has no network', () => {
  verifies('HOST-35', 'SEC-035');
  const line = around({ others: { network: true, write: ['/work/other'] } });
  expect(line).toMatch(/^bwrap --unshare-all --die-with-parent --dev \/dev --proc \/proc --tmpfs \/tmp /);
  expect(line).toContain(' --ro-bind-try /work/shop /work/shop ');
  expect(line).toMatch(/ --setenv HOME \/tmp --chdir \/work\/shop --$/);
  expect(line).not.toMatch(/--share-net| --bind |\/work\/other|shadow|\.ssh/);
  expect(line).not.toMatch(/--ro-bind-try \/(?:home|root|etc|var|run)? /);
});

test('what is granted is granted to that server, each by name', () => {
  verifies('HOST-35', 'SEC-035');
  const line = around({ files: { network: true, read: ['/data'], write: ['/work/shop/out'] } });
  expect(line).toContain('--share-net');
  expect(line).toContain('--ro-bind-try /data /data');
  expect(line).toContain('--bind /work/shop/out /work/shop/out');
  expect(around({ files: false })).toBe('');
});

test('a program is found where it is installed, and its folder can be read', () => {
  expect(around({}, process.execPath)).toContain(`--ro-bind-try ${dirname(process.execPath)} `);
  const made = bubblewrap()({ command: 'mooring-none', args: [], cwd: '/', env: { PATH: '/nowhere' } }, 'files');
  expect(made?.args).not.toContain('/nowhere');
});

test('whoever is asked is told that there is a sandbox', () => {
  const shown = { command: 'node', args: [], cwd: undefined, env: new Map() };
  expect(dangersOf(shown, { sandboxed: true })[0]).toContain('within a sandbox');
});
