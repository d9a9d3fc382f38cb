import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { bubblewrap } from './bubblewrap.ts';
import { commandWarnings } from './command-warnings.ts';

const around = (grants: Parameters<typeof bubblewrap>[0], command = 'node'): string => {
  const made = bubblewrap(grants)({ command, args: [], cwd: '/work/shop', env: {} }, 'files');
  return made === undefined ? '' : [made.command, ...made.args].join(' ');
};

test('bubblewrap() without a grant lets a server read the system and its own folder, without a network', () => {
  verifies('HOST-35', 'SEC-035');
  const line = around({ others: { network: true, write: ['/work/other'] } });
  expect(line).toMatch(/^bwrap --unshare-all --die-with-parent --dev \/dev --proc \/proc --tmpfs \/tmp /);
  expect(line).toContain(' --ro-bind-try /work/shop /work/shop ');
  expect(line).toMatch(/ --setenv HOME \/tmp --chdir \/work\/shop --$/);
  expect(line).not.toMatch(/--share-net| --bind |\/work\/other|shadow|\.ssh/);
  expect(line).not.toMatch(/--ro-bind-try \/(?:home|root|etc|var|run)? /);
});

test('bubblewrap() gives each server only its own grant', () => {
  verifies('HOST-35', 'SEC-035');
  const line = around({ files: { network: true, read: ['/data'], write: ['/work/shop/out'] } });
  expect(line).toContain('--share-net');
  expect(line).toContain('--ro-bind-try /data /data');
  expect(line).toContain('--bind /work/shop/out /work/shop/out');
  expect(around({ files: false })).toBe('');
});

test('bubblewrap() shows a program and its libraries, not the folder around it', () => {
  const line = around({}, process.execPath);
  const prefix = dirname(dirname(process.execPath));
  expect(line).toContain(`--ro-bind-try ${process.execPath} ${process.execPath} `);
  expect(line).toContain(`--ro-bind-try ${prefix}/lib ${prefix}/lib `);
  const made = bubblewrap()({ command: 'mooring-none', args: [], cwd: '/work', env: { PATH: '/nowhere' } }, 'files');
  expect(made?.args.join(' ')).not.toContain('/nowhere');
});

describe('home folders in bubblewrap()', () => {
  let home: string;
  const tool = '#!/usr/bin/env -S node --no-warnings\n';

  beforeAll(async () => {
    home = await realpath(await mkdtemp(join(tmpdir(), 'mooring-home-')));
    for (const folder of [
      'bin',
      'lib',
      '.venv/bin',
      '.local/bin',
      'app/node_modules/.bin',
      'app/node_modules/tool/dist',
    ])
      await mkdir(join(home, folder), { recursive: true });
    for (const file of ['tool', 'bin/tool', '.venv/bin/python', '.local/bin/tool', 'app/node_modules/tool/dist/cli.js'])
      await writeFile(join(home, file), tool, { mode: 0o755 });
    await symlink('../tool/dist/cli.js', join(home, 'app/node_modules/.bin/tool'));
    vi.stubEnv('HOME', home);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true });
  });

  /** The paths below the home folder that the sandbox shows. */
  const shown = (command: string, env: Record<string, string> = {}): string[] => {
    const made = bubblewrap()({ command, args: [], cwd: '/work/shop', env }, 'files');
    const args = made?.args ?? [];
    const paths = args.filter((_, at) => args[at - 1] === '--ro-bind-try');
    return paths.filter((path) => path.startsWith(home)).map((path) => path.slice(home.length));
  };

  test('bubblewrap() never shows a home folder, wherever the program is in it', () => {
    expect(shown(join(home, 'tool'))).toEqual(['/tool']);
    expect(shown(join(home, 'bin/tool'))).toEqual(['/bin/tool']);
    expect(shown('tool', { PATH: `${home}:/usr/bin` })).toEqual(['/tool']);
    expect(shown('tool', { PATH: `${join(home, 'bin')}:/usr/bin` })).toEqual(['/bin/tool']);
    expect(shown(join(home, '.venv/bin/python'))).toEqual([
      '/.venv/bin/python',
      ...['lib', 'lib64', 'libexec', 'pyvenv.cfg'].map((name) => `/.venv/${name}`),
    ]);
    expect(shown(join(home, 'app/node_modules/.bin/tool'))).toEqual([
      '/app/node_modules/.bin/tool',
      '/app/node_modules/tool/dist/cli.js',
      '/app/node_modules',
    ]);
  });

  test('bubblewrap() rejects a home folder or the root as a working directory', () => {
    for (const cwd of [home, `${home}/`, dirname(home), '/', join(home, 'bin', '..')])
      expect(() => bubblewrap()({ command: 'node', args: [], cwd, env: {} }, 'files'), cwd).toThrow(
        'contains a whole home folder',
      );
    expect(() => bubblewrap()({ command: 'node', args: [], cwd: join(home, 'app'), env: {} }, 'files')).not.toThrow();
  });

  test('bubblewrap() starts a server without a working directory in an empty folder', () => {
    const spy = vi.spyOn(process, 'cwd').mockReturnValue(home);
    const made = bubblewrap()({ command: 'node', args: [], cwd: undefined, env: {} }, 'files');
    spy.mockRestore();
    expect(made?.args.join(' ')).toMatch(/ --chdir \/tmp --$/);
    expect(made?.args).not.toContain(home);
  });

  test('bubblewrap() shows the interpreter of a script', () => {
    const made = bubblewrap()({ command: join(home, 'tool'), args: [], cwd: '/work', env: {} }, 'files');
    const node = made?.args.find((arg) => /[/]bin[/]node$/.test(arg));
    expect(node).toBeDefined();
  });
});

test('a question about a sandboxed command says that there is a sandbox', () => {
  const shown = { command: 'node', args: [], cwd: undefined, env: {} };
  expect(commandWarnings(shown, { sandboxed: true })[0]).toContain('within a sandbox');
});
