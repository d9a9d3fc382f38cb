/** Starts a command as a child process: without a shell, in a group of its own, with an environment it is meant to see. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { McpError, messageOf } from '../errors.ts';
import { childEnv } from './child-env.ts';

export interface ChildProgram {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Added to the few variables a child inherits. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** Resolves when the process runs. */
export async function startCommand(program: ChildProgram): Promise<ChildProcessWithoutNullStreams> {
  try {
    const child = await spawnCommand(program);
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    // From here on an error is a signal that could not be sent, and that shows in what follows.
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
  // There, npx and its like are scripts that only cmd.exe runs, and what it is given must be quoted for it.
  const { default: crossSpawn } = await import('cross-spawn');
  // three pipes were asked for
  return crossSpawn(command, args, options) as ChildProcessWithoutNullStreams;
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
  if (code === 'EACCES') return 'it may not be executed; make it executable, or name the program that runs it';
  return messageOf(thrown);
}
