/** The completion scripts in their shells. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { folder, main, mooring } from '../support/command-line.ts';
import { plainServer } from '../support/plain-server.ts';
import { systemProgram } from '../support/system-program.ts';

/** Whether this shell is installed, or could be installed. */
function has(shell: string): boolean {
  try {
    systemProgram(shell, [shell], shell);
    return true;
  } catch (error) {
    console.warn(`completion was not tried in ${shell}:`, error);
    return false;
  }
}

interface ShellProject extends AsyncDisposable {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** With `mooring` on the PATH, and an approved server. */
async function shellProject(): Promise<ShellProject> {
  const dir = await folder();
  const [bin, home] = [join(dir.path, 'bin'), join(dir.path, 'home')];
  for (const one of [bin, home]) await mkdir(one);
  await writeFile(join(bin, 'mooring'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
  await chmod(join(bin, 'mooring'), 0o755);
  const inputSchema = { type: 'object', properties: { order: { type: 'string' } } };
  const { command } = await plainServer(dir.path, [{ name: 'refund', inputSchema }]);
  const [program, ...args] = command;
  await writeFile(join(dir.path, '.mcp.json'), JSON.stringify({ mcpServers: { shop: { command: program, args } } }));
  const approved = await mooring(['list', 'shop'], { cwd: dir.path, home, tty: true, stdin: 'y\n' });
  expect(approved.code).toBe(0);
  const env = { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, HOME: home, TERM: 'dumb' };
  return { path: dir.path, env, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

function runShell(command: readonly [string, ...string[]], { path: cwd, env }: ShellProject): readonly string[] {
  const [shell, ...args] = command;
  const { stdout, stderr } = spawnSync(shell, args, { cwd, env, encoding: 'utf8', timeout: 60_000 });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

/** The completions that Tab would offer after this line. */
const drivers: Readonly<Record<string, (line: string) => readonly [string, ...string[]]>> = {
  bash: (line) => [
    'bash',
    '--norc',
    '-c',
    `source <(mooring completion bash); COMP_LINE='${line}'; COMP_POINT=\${#COMP_LINE}; _mooring mooring; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (line) => [
    'zsh',
    '-f',
    '-c',
    // zsh's completion system needs a terminal, so the function is called with its arguments.
    `compdef() { :; }; compadd() { while [[ $1 != -- ]]; do shift; done; shift; print -l -- "$@"; }; source <(mooring completion zsh); words=(\${(s: :)\${:-'${line}'}}); [[ '${line}' == *' ' ]] && words+=(''); CURRENT=$#words; _mooring`,
  ],
  fish: (line) => ['fish', '--no-config', '-c', `mooring completion fish | source; complete -C '${line}'`],
};

describe.each(Object.keys(drivers))('%s', (shell) => {
  const isThere = has(shell);
  const driver = drivers[shell];

  test.runIf(isThere)(
    'completes commands, options, servers, tools and argument names',
    async () => {
      await using project = await shellProject();
      const tab = (line: string): readonly string[] => runShell(driver?.(line) ?? ['false'], project);
      expect(tab('mooring cal')).toEqual(['call']);
      expect(tab('mooring list --ti')).toEqual(['--timeout']);
      expect(tab('mooring call sh')).toEqual(['shop']);
      expect(tab('mooring call shop re')).toEqual(['refund']);
      expect(tab('mooring call shop refund ')).toEqual(['order=']);
    },
    120_000,
  );

  test.runIf(isThere)('reads its script without complaint', async () => {
    await using dir = await folder();
    const { stdout } = await mooring(['completion', shell]);
    const file = join(dir.path, 'script');
    await writeFile(file, stdout);
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8', cwd: resolve('.') });
    expect([checked.status, checked.stderr]).toEqual([0, '']);
  });
});
