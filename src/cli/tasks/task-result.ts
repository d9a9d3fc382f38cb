/** Waits for a task, and prints the result of a tool as `call` and `tasks wait` do. */
import type { HostTask, ToolResult } from '../../host/index.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { CommandContext } from '../command.ts';
import type { OutputTarget } from '../content/output-target.ts';
import { commandSink } from '../content/show-content.ts';
import { showToolResult, unlessEmpty } from '../content/show-results.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import type { HostRun } from '../host/open-host.ts';
import type { Printer } from '../printer.ts';
import type { CommandTarget } from '../target/target.ts';
import { shortId } from './command-tickets.ts';

export async function waitForTask(
  task: HostTask,
  opened: HostRun,
  { print, target }: { readonly print: Printer; readonly target: CommandTarget },
): Promise<ToolResult> {
  const { signal, onProgress } = opened.request;
  void showStates(task, { signal, onProgress }).catch(() => undefined);
  try {
    return await untilAborted(task.result(), signal);
  } catch (error) {
    opened.endProgress();
    // A call that is no task ends with this program; a task is told apart by its ticket.
    if (signal.aborted && task.ticket === undefined) await task.cancel();
    if (signal.aborted && task.ticket !== undefined) print.note(comeBack(shortId(task.ticket), target));
    throw error;
  }
}

/** How to come back, for the user. */
export const comeBack = (id: string, { source }: CommandTarget): string =>
  'url' in source
    ? `The task works on. Wait for it with \`mooring tasks wait ${id}\`, or stop it with \`mooring tasks cancel ${id}\`.`
    : `The server ends with this command. If it stores its tasks, \`mooring tasks wait ${id}\` starts it again and the task goes on.`;

async function showStates(
  task: HostTask,
  { signal, onProgress }: Pick<HostRun['request'], 'signal' | 'onProgress'>,
): Promise<void> {
  let count = 0;
  for await (const { message, progress } of task.states({ signal })) {
    if (message === undefined && progress === undefined) continue;
    onProgress?.({ progress: count++, ...progress, ...(message === undefined ? {} : { message }) });
  }
}

export async function printToolResult(
  result: ToolResult,
  name: string,
  { shell, print, output }: CommandContext & { readonly output: OutputTarget | undefined },
): Promise<ExitCode | undefined> {
  const { data, content, isError, meta } = result;
  const sink = commandSink({ print, shell });
  const saved = await showToolResult(result, { sink, output, name, saveHint: 'use --out to save it' });
  print.data({ content, structuredContent: data, isError, _meta: unlessEmpty(meta), saved: output && saved });
  return isError ? exitCodes.no : undefined;
}
