/** Starts a command as a child process, without a shell, in its own process group and with a minimal environment. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { McpError, messageOf } from '../errors.ts';
import { childEnv } from './child-env.ts';

export interface ChildProgram {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the few variables that a child inherits, such as PATH and HOME. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** Resolves once the process has started. */
export async function startCommand(program: ChildProgram): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = await spawnCommand(program);
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // A later error means that a signal could not be sent. `ProcessGroup` notices that itself.
    child.on('error', () => undefined);
    return child;
  } catch (thrown) {
    const why = spawnFault(thrown, program);
    throw new McpError('MCP_SPAWN_FAILED', { command: program.command, why }, { cause: thrown });
  }
}

async function spawnCommand({ command, args = [], env, cwd }: ChildProgram): Promise<ChildProcessWithoutNullStreams> {
  const windows = process.platform === 'win32';
  const options = {
    cwd,
    env: childEnv(env),
    detached: !windows,
    windowsHide: true,
    shell: false,
    stdio: 'pipe',
  } as const;
  if (!windows) return spawn(command, args, options);
  // On Windows, npx and similar are scripts that only cmd.exe runs; cross-spawn quotes the arguments for it.
  const { default: crossSpawn } = await import('cross-spawn');
  return crossSpawn(command, args, options) as ChildProcessWithoutNullStreams; // stdio: 'pipe' creates all three streams
}

function spawnFault(thrown: unknown, { command, cwd }: ChildProgram): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (cwd !== undefined && !existsSync(cwd))
    return `its working directory ${cwd} does not exist; create it or change cwd`;
  if (code === 'ENOENT' && /\s/.test(command))
    return 'no such program; name it alone, and put the words after it into "args"';
  if (code === 'ENOENT')
    return /[/\\]/.test(command)
      ? 'no such file; check the path'
      : 'no such program in PATH; install it, or give its full path';
  if (code === 'EACCES') return 'it is not executable; run chmod +x, or name the program that runs it';
  return messageOf(thrown);
}
