/** Projects of `mooring init` compile, pass their tests, and serve, with the packed package. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { folder, mooring } from '../support/command-line.ts';

const run = promisify(execFile);

let tarball = '';

/** Simulates `npm install` offline: our package from its tarball, others from what is installed here. */
async function install(project: string): Promise<void> {
  const modules = join(project, 'node_modules');
  await mkdir(join(modules, 'mooring'), { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', join(modules, 'mooring'), '--strip-components=1']);
  for (const name of await readdir(resolve('node_modules')))
    if (name !== '.bin') await symlink(resolve('node_modules', name), join(modules, name));
  await mkdir(join(modules, '.bin'));
  await chmod(join(modules, 'mooring/dist/cli/main.js'), 0o755);
  await symlink('../mooring/dist/cli/main.js', join(modules, '.bin', 'mooring'));
  await symlink(resolve('node_modules/.bin/tsc'), join(modules, '.bin', 'tsc'));
}

beforeAll(async () => {
  const place = await mkdtemp(join(tmpdir(), 'mooring-packed-'));
  const packed = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', place];
  const [{ filename }] = JSON.parse((await run('npm', packed)).stdout) as [{ filename: string }]; // npm's format
  tarball = join(place, filename);
  return () => rm(place, { recursive: true });
});

test.each([
  ['stdio', 'zod'],
  ['http', 'valibot'],
  ['stdio', 'arktype'],
  ['http', 'json'],
])('a server on %s with %s', { timeout: 120_000 }, async (transport, schema) => {
  await using place = await folder();
  const { code } = await mooring(['init', 'dock', '--transport', transport, '--schema', schema], { cwd: place.path });
  expect(code).toBe(0);
  const project = join(place.path, 'dock');
  await install(project);
  const npm = (...args: string[]) => run('npm', ['--loglevel=error', ...args], { cwd: project });
  await npm('run', 'types');
  expect((await npm('test')).stdout).toMatch(/pass 3[\s\S]*fail 0/);
  await npm('run', 'build');
  const linted = await mooring(['lint', './dist/server.js', '--json', '--timeout', '50'], { cwd: project });
  expect(JSON.parse(linted.stdout)).toMatchObject({ findings: [] });
  const call = { title: 'milk', text: 'Two litres' };
  if (transport === 'stdio') {
    // As in its README, from any folder.
    const args = ['--prefix', project, '--silent', 'start'];
    await using client = await connect({ command: 'npm', args, cwd: place.path });
    expect((await client.call('add_note', call)).data).toEqual({ title: 'milk', count: 2 });
    return;
  }
  // On a free port, because another program can have the default one.
  const main = join(project, 'node_modules/.bin/mooring');
  const child = spawn(process.execPath, [main, 'run', 'dist/server.js', '--http', '0', '--json'], { cwd: project });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  {
    await using client = await connect((JSON.parse(line.toString()) as { url: string }).url);
    expect((await client.call('add_note', call)).data).toEqual({ title: 'milk', count: 2 });
  }
  child.kill('SIGTERM');
  expect((await once(child, 'close'))[0]).toBe(0);
});
