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
  /** What the tool returned, also if it failed. */
  result(): Promise<ToolResult>;
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

/** Follows a task to its end. Its ticket is kept until then, with the questions that were answered. */
export async function followTask(
  task: ClientTask,
  { tickets, ticket, signal, warn, begun }: TaskKeeping,
): ReturnType<ClientTask['attempt']> {
  let isOver = false;
  // One write after the other, and none after the ticket is gone.
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
  const forget = async (): Promise<void> => {
    isOver = true;
    await writing;
    if (ticket !== undefined) await tickets.remove(ticket.id).catch(() => false);
  };
  await keep();
  begun();
  void (async () => {
    for await (const _ of task.states({ signal })) await keep();
  })().catch(() => undefined);
  try {
    const result = await task.attempt({ signal });
    await forget();
    return result;
  } catch (error) {
    if (signal?.aborted !== true && isFinal(error)) await forget();
    isOver = true;
    await writing;
    throw error;
  }
}

/** The task has ended or is unknown; a server that is away says nothing of the kind. */
const isFinal = (error: unknown): boolean =>
  error instanceof RpcError || (error instanceof McpError && error.kind !== 'offline' && error.kind !== 'exit');
