/** `mooring run` in child processes: as a target, and on Ctrl-C. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { folder, mooringProcess, self } from '../support/command-line.ts';

test.each(['greeter', 'serves-itself'])('a module is a target: %s', async (name) => {
  const { code, stdout, stderr } = await mooringProcess(['list', `test/fixtures/cli/${name}.ts`, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ server: { name }, tools: [{ name: 'greet' }] });
});

test('a module in JavaScript, and one in TypeScript with the tsx of its own project, need nothing else', async () => {
  await using project = await folder();
  const entryPoint = pathToFileURL(resolve('dist/index.js')).href;
  const text = `import { createServer } from '${entryPoint}';\nexport default createServer({ name: 'own', version: '1', parts: [] });\n`;
  await mkdir(join(project.path, 'node_modules'));
  await symlink(resolve('node_modules/tsx'), join(project.path, 'node_modules/tsx'));
  await writeFile(join(project.path, 'package.json'), '{"type":"module"}');
  await writeFile(join(project.path, 'server.js'), text);
  await writeFile(join(project.path, 'server.ts'), `const typed: number = 1;\n${text}void typed;\n`);
  for (const file of ['server.js', 'server.ts']) {
    // The installed command, without a TypeScript loader.
    const child = spawn(process.execPath, [resolve('dist/cli/main.js'), 'list', `./${file}`], { cwd: project.path });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    expect([(await once(child, 'close'))[0], said.join('')]).toEqual([0, 'own 1, revision 2026-07-28\n']);
  }
});

test('Ctrl-C ends it with 130 although the module holds the process', async () => {
  await using project = await folder();
  const file = join(project.path, 'holds.mjs');
  const greeter = pathToFileURL(resolve('test/fixtures/cli/greeter.ts')).href;
  await writeFile(file, `export { greeter } from '${greeter}';\nsetInterval(() => undefined, 1000);\n`);
  const child = spawn(self.command, [...self.args, 'run', file, '--http', '0']);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('Serving at')) child.kill('SIGINT');
  });
  expect((await once(child, 'close'))[0]).toBe(130);
  expect(said).toMatch(/Serving at http:\/\/127\.0\.0\.1:\d+\/mcp \(press Ctrl-C to stop\)/);
});

test('a Node that is too old is named, with the one that is needed', async () => {
  await using project = await folder();
  const old = join(project.path, 'old.cjs');
  await writeFile(old, `Object.defineProperty(process, 'versions', { value: { node: '18.20.8' } });\n`);
  const child = spawn(process.execPath, ['--require', old, resolve('dist/cli/main.js'), '--version']);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  expect([(await once(child, 'close'))[0], said]).toEqual([
    2,
    'error mooring needs Node 20.19 or later, and this is Node 18.20.8: install a newer one\n',
  ]);
});

test.runIf(process.platform === 'linux')(
  'a result that does not fit on the disk is an error, and no success',
  async () => {
    await using full = await open('/dev/full', 'w');
    const child = spawn(self.command, [...self.args, 'list', 'test/fixtures/cli/greeter.ts', '--json'], {
      stdio: ['ignore', full.fd, 'pipe'],
    });
    const said: string[] = [];
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
    const [code] = await once(child, 'close');
    expect([code, said.join('')]).toEqual([2, expect.stringContaining('the disk is full (ENOSPC)')]);
  },
);

test('standard error without a reader changes no exit code', async () => {
  const child = spawn(self.command, [...self.args, 'list', './no-such-file.ts'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.destroy();
  expect((await once(child, 'exit'))[0]).toBe(2);
});

test('a module that reads standard input itself ends with it, also where that is a file', async () => {
  await using project = await folder();
  const file = join(project.path, 'reads.mjs');
  await writeFile(file, "process.stdin.on('data', () => undefined);\n");
  const child = spawn(self.command, [...self.args, 'run', file], { stdio: ['ignore', 'pipe', 'inherit'] });
  expect((await once(child, 'close'))[0]).toBe(0);
});
