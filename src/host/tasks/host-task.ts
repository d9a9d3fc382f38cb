/** A task behind the gate. The host follows it for as long as its session is open, so that its questions are answered. */
import type { ClientTask, ClientTaskState } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { ToolResult } from '../act/tool-result.ts';
import type { Permit } from '../gate/gate.ts';
import type { KeptTicket } from './kept-ticket.ts';
import type { HostTicket } from './tickets.ts';

/** What `session.start` and `host.resume` return. */
export interface HostTask {
  /** For `host.tasks` and `host.resume`; undefined where the server made no task of the call. */
  readonly ticket: HostTicket | undefined;
  /** The state now, and then each change until the task ends. */
  states(options?: { readonly signal?: AbortSignal | undefined }): AsyncIterable<ClientTaskState>;
  /** What the tool returned, also if it failed. The ticket is kept until you have it; with `signal` you can stop waiting. */
  result(options?: { readonly signal?: AbortSignal | undefined }): Promise<ToolResult>;
  /** Asks the server to stop. */
  cancel(): Promise<void>;
}

/** A tool call that became a task, and the act that allowed it. */
export interface StartedTask {
  readonly act: string;
  readonly task: HostTask;
}

/** Follows a task that has begun to its end, and keeps its ticket. When the signal aborts, the task works on. */
export async function followTask(
  task: ClientTask,
  kept: KeptTicket,
  { signal, learn }: Pick<Permit, 'learn'> & { readonly signal: AbortSignal | undefined },
): ReturnType<ClientTask['attempt']> {
  void (async () => {
    for await (const { message } of task.states({ signal })) {
      if (message !== undefined) learn(message);
      await kept.keep(task.ticket);
    }
  })().catch(() => undefined);
  try {
    return await task.attempt({ signal });
  } finally {
    await kept.end();
  }
}

/** The task has ended or is unknown. A server that is away says nothing of the kind, and neither does a session that ends. */
export const isFinalError = (error: unknown): boolean =>
  error instanceof RpcError ||
  (error instanceof McpError && error.kind !== 'offline' && error.kind !== 'exit' && error.code !== 'MCP_CANCELLED');
