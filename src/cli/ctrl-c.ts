/** Handles Ctrl-C for every command: exit code 130, and a hint if shutdown takes longer than a second. */
import { onAbort } from '../peer/wait.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { Printer } from './printer.ts';
import type { Shell } from './shell.ts';

const HINT_MS = 1_000;

interface CtrlCContext {
  readonly shell: Pick<Shell, 'signal' | 'clock' | 'stderr'>;
  readonly print: Pick<Printer, 'note'>;
}

export async function withCtrlC(run: () => Promise<ExitCode>, { shell, print }: CtrlCContext): Promise<ExitCode> {
  const { signal, clock } = shell;
  const note = (text: string): void => {
    if (shell.stderr.isTTY === true) print.note(text);
  };
  let cancelHint = (): void => undefined;
  const hint = (): void => {
    if (signal.reason !== 'SIGINT') return;
    cancelHint = clock.after(HINT_MS, () => note('Stopping (press Ctrl-C again to end at once)'), { idle: true });
  };
  const stop = onAbort(signal, hint);
  const exit = await run();
  stop();
  cancelHint();
  // At a prompt, readline consumes Ctrl-C: `signal` is not aborted, and the command ends with `interrupted`.
  const isStopped = signal.aborted ? signal.reason === 'SIGINT' : exit === exitCodes.interrupted;
  if (!isStopped) return exit;
  note('Stopped by Ctrl-C');
  return exit === exitCodes.done ? exitCodes.interrupted : exit;
}
