/** A task behind the gate. The host follows it for as long as its session is open, so that its questions are answered. */
import type { ClientTask, ClientTaskState } from '../../client/index.ts';
import { McpError, RpcError } from '../../errors.ts';
import type { ToolResult } from '../act/tool-result.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

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

export interface TaskKeeping {
  readonly tickets: TicketStore;
  readonly ticket: HostTicket | undefined;
  /** The session ends: nothing is waited for any more, and the task works on. */
  readonly signal: AbortSignal | undefined;
  readonly warn: (warning: string) => void;
  /** The ticket is kept. */
  begun(): void;
}

/** Follows a task to its end, and keeps its ticket with the questions that were answered. */
export async function followTask(
  task: ClientTask,
  { tickets, ticket, signal, warn, begun }: TaskKeeping,
): ReturnType<ClientTask['attempt']> {
  let isOver = false;
  // One write after the other, and none after the end.
  let writing: Promise<unknown> = Promise.resolve();
  const keep = (): Promise<unknown> => {
    writing = writing.then(async () => {
      if (isOver || ticket === undefined || task.ticket === undefined) return;
      await tickets
        .put({ ...ticket, ticket: task.ticket })
        .catch((error: unknown) => warn(`A ticket was not kept: ${String(error)}`));
    });
    return writing;
  };
  await keep();
  begun();
  void (async () => {
    for await (const _ of task.states({ signal })) await keep();
  })().catch(() => undefined);
  try {
    return await task.attempt({ signal });
  } finally {
    isOver = true;
    await writing;
  }
}

/** The task has ended or is unknown. A server that is away says nothing of the kind, and neither does a session that ends. */
export const isFinalError = (error: unknown): boolean =>
  error instanceof RpcError ||
  (error instanceof McpError && error.kind !== 'offline' && error.kind !== 'exit' && error.code !== 'MCP_CANCELLED');
