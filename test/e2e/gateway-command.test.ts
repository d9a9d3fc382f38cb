/** `mooring gateway` in a child process: reload by SIGHUP and --watch, status, and a shutdown that loses no call. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { connect } from '../../src/connect/index.ts';
import { createServer, tool } from '../../src/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { folder, mooring, self } from '../support/command-line.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function slowServer() {
  let release = (): void => undefined;
  let calls = 0;
  const run = async (): Promise<string> => {
    calls++;
    await new Promise<void>((done) => {
      release = done;
    });
    return 'late';
  };
  const server = createServer({ name: 'slow', version: '1', parts: [tool({ name: 'wait', run })] });
  const listener = await serveHttp(server, { port: 0 });
  closing.push(() => listener.close(0));
  return { url: listener.url, release: () => release(), calls: () => calls };
}

/** Reads its output as long as it runs. */
const started = (file: string, ...options: string[]) =>
  reading(spawn(self.command, [...self.args, 'gateway', file, '--json', ...options], { env }));

const env = { ...process.env, NO_COLOR: '1' };

async function reading(child: ChildProcess) {
  closing.push(async () => child.kill('SIGKILL'));
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  await expect.poll(() => said.stdout, { timeout: 30_000 }).toContain('"listening"');
  const { url, operations } = JSON.parse(said.stdout.split('\n')[0] ?? '') as { url: string; operations: string };
  return { child, said, ended, url, operations };
}

const greeter = `{ command: ${JSON.stringify(self.command)}, args: ${JSON.stringify([...self.args, 'run', resolve('test/fixtures/cli/greeter.ts')])} }`;
const listeners =
  'listen: { address: 127.0.0.1:0 }\noperations: { listen: 127.0.0.1:0 }\ndrain: { settleMs: 1000, drainMs: 20000 }\n';

test('a gateway is reloaded by SIGHUP without losing a call, keeps its file where the new one is wrong, and ends with 0 after SIGTERM', async () => {
  await using place = await folder();
  const slow = await slowServer();
  const file = join(place.path, 'gateway.yaml');
  await writeFile(file, `${listeners}upstreams:\n  slow: { url: ${slow.url} }\n`);
  const { child, said, ended, url, operations } = await started(file);
  const client = await connect(url);
  closing.push(() => client.close());
  const tools = async (): Promise<readonly string[]> => (await client.list('tools').all()).map(({ name }) => name);

  const across = client.call('slow__wait');
  await expect.poll(slow.calls).toBe(1);
  await writeFile(file, `${listeners}upstreams:\n  slow: { url: ${slow.url} }\n  greeter: ${greeter}\n`);
  child.kill('SIGHUP');
  await expect.poll(tools).toEqual(['slow__wait', 'greeter__greet']);
  await writeFile(file, `${listeners}upstrems: {}\n`);
  child.kill('SIGHUP');
  await expect.poll(() => said.stderr).toContain('did you mean "upstreams"?');
  await expect.poll(() => said.stderr).toContain('was not reloaded; the running configuration stays');
  expect(await tools()).toEqual(['slow__wait', 'greeter__greet']);
  slow.release();
  expect((await across).text).toBe('late');

  const status = await mooring(['gateway', 'status', operations]);
  expect(status.code).toBe(0);
  expect(status.stdout).toMatch(/^gateway \S+ ready, 0 waiting calls\n {2}slow: ready \S+, /);
  expect(status.stdout).toContain('  greeter: ready ');

  const last = client.call('slow__wait');
  await expect.poll(slow.calls).toBe(2);
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${operations}/ready`)).status).toBe(503);
  expect(await tools()).toEqual(['slow__wait', 'greeter__greet']);
  slow.release();
  expect((await last).text).toBe('late');
  expect(await ended).toBe(0);
});

test('--watch reloads a file that changed, and `mooring gateway drain` ends the process with 0', async () => {
  await using place = await folder();
  const slow = await slowServer();
  const file = join(place.path, 'gateway.yaml');
  const quick = listeners.replace('settleMs: 1000', 'settleMs: 0');
  await writeFile(file, `${quick}upstreams:\n  slow: { url: ${slow.url} }\n`);
  const { said, ended, operations } = await started(file, '--watch');
  await writeFile(file, `${quick}upstreams:\n  again: { url: ${slow.url} }\n`);
  await expect.poll(() => said.stderr).toContain('Reloaded');
  expect(said.stderr).toContain('added again; removed slow');
  expect((await mooring(['gateway', 'drain', operations])).stdout).toBe('The gateway is draining.\n');
  expect(await ended).toBe(0);
  const gone = await mooring(['gateway', 'status', operations]);
  expect(gone).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be reached') });
});

test('Ctrl-C ends a gateway whose upstream is a child process with 130', async () => {
  await using place = await folder();
  const file = join(place.path, 'gateway.yaml');
  await writeFile(file, `${listeners}upstreams:\n  greeter: ${greeter}\n`);
  const { child, ended, url } = await started(file);
  const client = await connect(url);
  // On a busy machine, a child starts more slowly than a list waits for it.
  await expect.poll(async () => (await client.list('tools').all()).length).toBe(1);
  await client.close();
  child.kill('SIGINT');
  expect(await ended).toBe(130);
});

test('a gateway that npx started ends after npx, which passes no signal on', async () => {
  await using place = await folder();
  const file = join(place.path, 'gateway.yaml');
  await writeFile(file, `${listeners}upstreams:\n  greeter: ${greeter}\n`);
  const words = [self.command, ...self.args, 'gateway', file, '--json'];
  // npx starts a shell. The last word keeps it from becoming the command.
  const shell = spawn('sh', ['-c', '"$@"; exit', 'sh', ...words], {
    env: { ...env, npm_lifecycle_event: 'npx', npm_lifecycle_script: "'mooring'" },
  });
  const { url, said, ended } = await reading(shell);
  expect((await fetch(url, { method: 'OPTIONS' })).status).toBeGreaterThan(0);
  shell.kill('SIGTERM');
  // Its output is closed when the gateway has ended, too.
  await ended;
  expect(said.stderr).toContain('npx has ended, so mooring ends too');
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});
