/** Runs a program in its own process group with a time limit, and kills the group. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramSettings {
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. */
  readonly input?: string;
}

export type RunProgram = (program: string, args: readonly string[], settings?: ProgramSettings) => Promise<Ended>;

export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input = '', limitMs }: ProgramSettings & { readonly cwd: string; readonly limitMs: number },
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env: env ?? {}, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = (): void => endGroup(child.pid);
  process.once('exit', stop);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limitMs);
  // A program can exit without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  try {
    const said = [text(child.stdout), text(child.stderr)];
    const [code] = (await once(child, 'exit')) as [number | null]; // the first argument of the event
    // Processes that it left running keep the pipes open.
    stop();
    const [stdout = '', stderr = ''] = await Promise.all(said);
    if (isLate) throw new Error(`did not end within ${limitMs / 1000} s\n${tail(stdout)}\n${tail(stderr)}`);
    return { code, stdout, stderr };
  } finally {
    clearTimeout(timer);
    process.off('exit', stop);
  }
}

export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}

export const tail = (said: string, lines = 25): string => said.trimEnd().split('\n').slice(-lines).join('\n');
