import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, mooring, type RunOptions } from '../../../test/support/command-line.ts';
import { verifies } from '../../../test/support/verifies.ts';

/** A project and a home, each with servers that exit as soon as they start. */
async function places(): Promise<AsyncDisposable & Required<Pick<RunOptions, 'cwd' | 'home'>>> {
  const at = await folder();
  const [cwd, home] = [join(at.path, 'project'), join(at.path, 'home')];
  await mkdir(cwd);
  await mkdir(join(home, '.cursor'), { recursive: true });
  return { cwd, home, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

const write = (file: string, servers: object): Promise<void> =>
  writeFile(file, JSON.stringify({ mcpServers: servers }, undefined, 2));
const ends = (word: string): object => ({ command: 'true', args: [word] });
const unknown = 'is not approved yet';

describe('what was agreed to', () => {
  test('holds when another server is written above it, and for nothing else', async () => {
    await using at = await places();
    const file = join(at.cwd, '.mcp.json');
    await write(file, { shop: ends('shop') });
    expect((await mooring(['list', 'shop'], at)).stderr).toContain(unknown);
    const asked = await mooring(['list', 'shop'], { ...at, tty: true, stdin: 'y\n' });
    expect(asked.stderr).toContain('Start a program for shop?\n  true shop');
    expect(asked.stderr.replace(/\s+/g, ' ')).toContain(
      `"cwd": "${at.cwd}" } effects: not known; may reach beyond the server ${file}, line 3, names this server, so you are asked`,
    );
    await write(file, { other: ends('other'), more: ends('more'), shop: ends('shop') });
    expect((await mooring(['list', 'shop'], at)).stderr).not.toContain(unknown);
    expect((await mooring(['list', 'other'], at)).stderr).toContain(unknown);
    await write(file, { other: ends('other'), shop: ends('changed') });
    expect((await mooring(['list', 'shop'], at)).stderr).toContain(unknown);
  });

  test('was shown whole before, with a warning, and a no starts nothing', async () => {
    verifies('SEC-033');
    await using at = await places();
    const started = join(at.cwd, 'started');
    const args = ['-c', `touch ${started}`, 'x'.repeat(5_000), 'last word'];
    await write(join(at.cwd, '.mcp.json'), { shop: { command: 'sh', args } });
    for (const stdin of ['n\n', '\n', '']) {
      const { code, stderr } = await mooring(['list', 'shop'], { ...at, tty: true, columns: 100_000, stdin });
      expect(code).not.toBe(0);
      expect(stderr).toContain(`sh -c "touch ${started}" ${'x'.repeat(5_000)} "last word"`);
      expect(stderr).toContain('This starts a program');
      expect(existsSync(started)).toBe(false);
    }
  });

  test('holds for the file that it is written in', async () => {
    await using at = await places();
    await write(join(at.cwd, '.mcp.json'), { shop: ends('shop') });
    await mooring(['list', 'shop'], { ...at, tty: true, stdin: 'y\n' });
    await using other = await places();
    await write(join(other.cwd, '.mcp.json'), { shop: ends('shop') });
    expect((await mooring(['list', 'shop'], { ...other, home: at.home })).stderr).toContain(unknown);
  });

  test('is not started when it became something else while the user was asked', async () => {
    await using at = await places();
    const file = join(at.cwd, '.mcp.json');
    await write(file, { shop: { command: `\${env:TOOL}` } });
    let command = 'true';
    const env = {
      get TOOL(): string {
        return command;
      },
    };
    const onStderr = (text: string): void => {
      if (text.includes('explain: ')) command = 'false';
    };
    const ran = await mooring(['list', 'shop'], { ...at, env, tty: true, stdin: 'y\n', onStderr });
    expect(ran.stderr).toContain('changed');
  });
});

describe("a project's configuration", () => {
  test("takes over no label of the user's own", async () => {
    await using at = await places();
    await write(join(at.home, '.cursor', 'mcp.json'), { github: ends('mine') });
    await write(join(at.cwd, '.mcp.json'), { GitHub: ends('theirs'), docs: ends('docs') });
    const { stdout } = await mooring(['servers', '--json'], at);
    const rows = (JSON.parse(stdout) as { servers: { name: string; what: string }[] }).servers;
    expect(Object.fromEntries(rows.map(({ name, what }) => [name, what]))).toEqual({
      github: 'true mine',
      'github-2': 'true theirs',
      docs: 'true docs',
    });
    for (const name of ['github', 'GitHub', 'GITHUB'])
      expect((await mooring(['list', name], at)).stderr).toContain('true mine');
    expect((await mooring(['list', 'github-2'], at)).stderr).toContain('true theirs');
  });
});

test('a policy that asks before a typed server is started names the rule to add, where this is not a terminal', async () => {
  await using at = await places();
  const host = resolve('src/host/index.ts');
  await writeFile(join(at.cwd, 'policy.ts'), `import { rules } from '${host}';\nexport default [rules.ask({})];\n`);
  const ran = await mooring(['list', '--policy', 'policy.ts', '--', 'true'], at);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(
    'the rule "ask everything" requires your approval for starting true, and this is not running in a terminal',
  );
  expect(ran.stderr).toContain("rules.allow({ kind: 'spawn', server: 'true' })");
});

test('a question about a configured server that a rule of the user asks about names the rule and the file', async () => {
  await using at = await places();
  const host = resolve('src/host/index.ts');
  await writeFile(
    join(at.cwd, 'policy.ts'),
    `import { rules } from '${host}';\nexport default [rules.ask({ server: 'sh*' })];\n`,
  );
  const file = join(at.cwd, '.mcp.json');
  await write(file, { shop: ends('shop') });
  const asked = await mooring(['list', 'shop', '--policy', 'policy.ts'], { ...at, tty: true, stdin: 'n\n' });
  expect(asked.stderr.replace(/\s+/g, ' ')).toContain(
    `${file}, line 3, names this server, and server is shop (rule: ask { server: sh* }), so you are asked`,
  );
});
