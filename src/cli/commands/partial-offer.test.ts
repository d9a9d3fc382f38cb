/** Servers with some failing lists: every command shows the rest, and names the lists that failed. */
import { describe, expect, test } from 'vitest';
import { folder, mooring, type Ran, type RunOptions } from '../../../test/support/command-line.ts';
import { plainServer } from '../../../test/support/plain-server.ts';

const capabilities = { resources: {}, prompts: {} };
const failures = {
  'resources/list': { code: -32601, message: 'Method not found' },
  'resources/templates/list': { code: -32601, message: 'Method not found' },
  'prompts/list': { code: -32603, message: 'db down' },
};
const onlyMissing = { ...failures, 'prompts/list': { code: -32601, message: 'No prompts here' } };

/** Runs a command on a server with one tool, whose other lists fail. */
async function run(
  args: readonly string[],
  { broken = failures, ...options }: RunOptions & { readonly broken?: typeof failures } = {},
): Promise<Ran> {
  await using dir = await folder();
  const server = await plainServer(dir.path, [{ name: 'echo' }], { capabilities, failures: broken });
  return await mooring([...args, '--', ...server.command], { cwd: dir.path, ...options });
}

describe('a server whose lists fail one by one', () => {
  test('is listed with the lists that work, and the command ends with 1', async () => {
    const { code, stdout, stderr } = await run(['list']);
    expect(stdout).toMatch(/^plain 1, revision .*\n\nTools\n {2}echo\(\)\n$/);
    expect(stderr).toContain('prompts/list failed: db down\n');
    expect(stderr).toContain('resources/list is not implemented, although the server advertises resources\n');
    expect(stderr).not.toContain('templates');
    expect(code).toBe(1);
  });

  test('is listed as JSON with what failed', async () => {
    const { code, stdout } = await run(['list', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      tools: [{ name: 'echo' }],
      prompts: [],
      failed: [
        { method: 'resources/list', code: -32601 },
        { method: 'prompts/list', code: -32603, message: 'db down' },
      ],
    });
  });

  test('is listed whole where every list that fails is merely not implemented', async () => {
    const { code, stdout, stderr } = await run(['list'], { broken: onlyMissing });
    expect(code).toBe(0);
    expect(stdout).toContain('echo()');
    expect(stderr).toContain('prompts/list is not implemented, although the server advertises prompts');
  });

  test('gets a TypeScript module of what can be listed', async () => {
    const { code, stdout, stderr } = await run(['types']);
    expect(stdout).toContain('readonly echo:');
    expect(stderr).toContain('prompts/list failed: db down');
    expect(code).toBe(1);
  });

  test('names the list that failed where a prompt or a tool is wanted from it', async () => {
    const prompted = await run(['prompt', 'greet']);
    expect(prompted).toMatchObject({ code: 1, stderr: expect.stringContaining('prompts/list failed: db down') });
    await using dir = await folder();
    const broken = { failures: { 'tools/list': { code: -32603, message: 'db down' } } };
    const server = await plainServer(dir.path, [{ name: 'echo' }], broken);
    const called = await mooring(['call', 'echo', '--', ...server.command], { cwd: dir.path });
    expect(called).toMatchObject({ code: 1, stderr: expect.stringContaining('tools/list failed: db down') });
    const missing = { failures: { 'tools/list': { code: -32601, message: 'Method not found' } } };
    const without = await plainServer(dir.path, [{ name: 'echo' }], missing);
    const unlisted = await mooring(['call', 'echo', '--', ...without.command], { cwd: dir.path });
    expect(unlisted).toMatchObject({ code: 1, stderr: expect.stringContaining('tools/list is not implemented') });
  });

  test('is traced on after a list has failed', async () => {
    const stop = new AbortController();
    const onStderr = (text: string): void => {
      if (text.includes('Ctrl-C to stop')) stop.abort();
    };
    const { code, stdout, stderr } = await run(['trace'], { tty: true, signal: stop.signal, onStderr });
    expect(stdout).toContain('1 tool: echo');
    expect(stdout).toContain('error -32603 db down');
    expect(stderr).toContain('prompts/list failed: db down');
    expect(code).toBe(0);
  });

  test('is compared with a lock as far as it can be listed', async () => {
    const { code, stdout } = await run(['lock', 'check']);
    expect(stdout).toMatch(/new +tool echo/);
    expect(stdout).toContain('prompts/list failed: db down');
    expect(stdout).not.toContain('templates/list');
    expect(code).toBe(1);
  });

  test('answers a read with its own error, and not with that of a list', async () => {
    const broken = { ...failures, 'resources/read': { code: -32602, message: 'Not here' } };
    const { code, stderr } = await run(['read', 'a://b'], { broken });
    expect([code, stderr]).toEqual([1, 'error Not here\n']);
  });
});

test('a list that fails does not make what was approved look as if it were gone', async () => {
  await using dir = await folder();
  const good = await plainServer(dir.path, [{ name: 'echo' }]);
  expect((await mooring(['lock', 'approve', '--yes', '--', ...good.command], { cwd: dir.path })).code).toBe(0);
  const bad = await plainServer(dir.path, [{ name: 'echo' }], {
    failures: { 'tools/list': { code: -32603, message: 'db down' } },
  });
  const checked = await mooring(['lock', 'check', '--', ...bad.command], { cwd: dir.path });
  expect(checked.stdout).not.toContain('gone');
  expect(checked.stdout).toContain('tools/list failed: db down');
  expect(checked.code).toBe(1);
  const approved = await mooring(['lock', 'approve', '--yes', '--', ...bad.command], { cwd: dir.path });
  expect(approved.stderr).toContain('tools/list failed: db down');
  expect(approved.code).toBe(1);
});
