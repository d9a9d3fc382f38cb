/** Waits for the result of a task. On Ctrl-C, prints how to resume waiting. */
import type { HostTask, ToolResult } from '../../host/index.ts';
import { untilAborted } from '../../peer/wait.ts';
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
  void reportStates(task, { signal, onProgress }).catch(() => undefined);
  try {
    return await untilAborted(task.result(), signal);
  } catch (error) {
    opened.endProgress();
    // Without a ticket, the call is not a task and cannot be resumed, so it is cancelled.
    if (signal.aborted && task.ticket === undefined) await task.cancel();
    if (signal.aborted && task.ticket !== undefined) print.note(comeBackText(shortId(task.ticket), target));
    throw error;
  }
}

export const comeBackText = (id: string, { source }: CommandTarget): string =>
  'url' in source
    ? `The task is still running. Wait for it with \`mooring tasks wait ${id}\`, or cancel it with \`mooring tasks cancel ${id}\`.`
    : `The server process ends with this command. If the server stores its tasks, \`mooring tasks wait ${id}\` restarts it and resumes the task.`;

async function reportStates(
  task: HostTask,
  { signal, onProgress }: Pick<HostRun['request'], 'signal' | 'onProgress'>,
): Promise<void> {
  let count = 0;
  for await (const { message, progress } of task.states({ signal })) {
    if (message === undefined && progress === undefined) continue;
    onProgress?.({ progress: count++, ...progress, ...(message === undefined ? {} : { message }) });
  }
}
