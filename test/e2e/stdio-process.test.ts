/** How commands are spawned on Windows, and what happens to a child whose parent crashes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alive, eventually } from '../support/children.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = (fixture: string, ...args: string[]): string[] => [
  '--import',
  'tsx',
  `test/fixtures/stdio/${fixture}`,
  ...args,
];

describe('a client that ends without closing', () => {
  test.each([
    ['exits', 0],
    ['throws', 1],
  ])('and %s takes its servers along', async (how, status) => {
    const ended = spawnSync(process.execPath, run('leaves.ts', how), { cwd: root, encoding: 'utf8' });
    expect(ended.status).toBe(status);
    const { pid } = (JSON.parse(ended.stdout) as { result: { pid: number } }).result;
    expect(pid).toBeGreaterThan(1);
    await eventually('the server is gone', () => !alive(pid), 2000);
  });
});

test('a client that has nothing left to do but close still waits for the end of its server', () => {
  const { status, stdout } = spawnSync(process.execPath, run('closes.ts'), { cwd: root, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, 'closed']);
});

describe('on Windows', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mooring-'));
    for (const name of ['npx.CMD', 'tool.EXE']) writeFileSync(join(folder, name), '', { mode: 0o755 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function spawned(...args: string[]): { command: string; args: string[]; options: Record<string, unknown> }[] {
    const output = execFileSync(process.execPath, run('windows.ts', folder, ...args), { cwd: root, encoding: 'utf8' });
    return JSON.parse(output) as ReturnType<typeof spawned>;
  }

  test('a script such as npx is run by cmd.exe, with arguments it cannot take for commands', () => {
    const [start] = spawned('npx', '-y', 'a server', 'x&calc', '%PATH%');
    expect(start?.command).toBe('C:\\Windows\\cmd.exe');
    expect(start?.args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
    const line = String(start?.args[3]).replaceAll('^', '');
    expect(line).toBe('"npx "-y" "a server" "x&calc" "%PATH%""');
    expect(start?.args[3]).toContain('^&calc');
    expect(start?.args[3]).toContain('^%PATH^%');
    expect(start?.options).toMatchObject({
      windowsVerbatimArguments: true,
      windowsHide: true,
      detached: false,
      shell: false,
    });
  });

  test('a program is run as it is, and sees the variables it may see', () => {
    const [start] = spawned('tool', 'a b');
    expect([start?.command, start?.args]).toEqual(['tool', ['a b']]);
    expect(start?.options).toMatchObject({ shell: false, windowsHide: true });
    const env = start?.options['env'] as Record<string, string>;
    expect(Object.keys(env)).toEqual(expect.arrayContaining(['PATH', 'PATHEXT', 'comspec']));
    expect(env).not.toHaveProperty('SECRET');
  });

  test('what does not end by itself is ended with everything it started', () => {
    const [, ...rest] = spawned('tool');
    expect(rest.length).toBeGreaterThan(0);
    for (const { command, args } of rest) expect([command, args]).toEqual(['taskkill', ['/pid', '4242', '/T', '/F']]);
  });
});
