/** A task that the gate allowed. The host follows it while its session is open, so that its questions are answered. */
import type { ClientTask, ClientTaskState } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { ToolResult } from '../act/tool-result.ts';
import type { Permit } from '../gate/gate.ts';
import type { StoredTicket } from './stored-ticket.ts';
import type { HostTicket } from './tickets.ts';

/** What `session.start` and `host.resume` return. */
export interface HostTask {
  /** For `host.tasks` and `host.resume`; undefined if the server did not turn the call into a task. */
  readonly ticket: HostTicket | undefined;
  /** The state now, and then each change until the task ends. */
  states(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ClientTaskState>;
  /** The tool's result, including errors of the tool. Removes the ticket. `signal` stops the waiting, not the task. */
  result(options?: { readonly signal?: AbortSignal | undefined }): Promise<ToolResult>;
  /** Asks the server to stop. */
  cancel(): Promise<void>;
}

/** A tool call that became a task, and the act that allowed it. */
export interface StartedTask {
  readonly act: string;
  readonly task: HostTask;
}

/** Follows a running task to its end, and stores its ticket with each change. When the signal aborts, the task continues. */
export async function followTask(
  task: ClientTask,
  stored: StoredTicket,
  { signal, learn }: Pick<Permit, 'learn'> & { readonly signal: AbortSignal | undefined },
): ReturnType<ClientTask['attempt']> {
  void (async () => {
    for await (const { message } of task.states({ signal })) {
      if (message !== undefined) learn(message);
      await stored.update(task.ticket);
    }
  })().catch(() => undefined);
  try {
    return await task.attempt({ signal });
  } finally {
    await stored.stopWriting();
  }
}

/** Whether the error means that the task has ended or is unknown. An unreachable server or a closed session does not mean that. */
export const endsTask = (error: unknown): boolean =>
  error instanceof RpcError ||
  (error instanceof McpError && error.kind !== 'offline' && error.kind !== 'exit' && error.code !== 'MCP_CANCELLED');
