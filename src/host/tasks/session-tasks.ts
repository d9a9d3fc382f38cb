/** Starts and resumes the tasks of one session, through the gate on behalf of its user. */
import { randomUUID } from 'node:crypto';
import type { Client, ClientTask, RequestOptions } from '../../client/index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { onAbort, untilAborted } from '../../peer/wait.ts';
import type { Act } from '../act/act.ts';
import type { ToolResult } from '../act/tool-result.ts';
import type { ActSubject } from '../catalogue/act-subject.ts';
import type { HostCatalogue } from '../catalogue/catalogue.ts';
import { withoutHopMeta } from '../catalogue/hop-meta.ts';
import type { Permit } from '../gate/gate.ts';
import type { SessionActs, SessionPass } from '../session-acts/session-acts.ts';
import { endsTask, followTask, type HostTask, type StartedTask } from './host-task.ts';
import { StoredTicket } from './stored-ticket.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

/** The name of an act that resumes a task. For rules, it is a request of an extension. */
const TASK_ACT = 'tasks/get';

type TaskPass = Pick<SessionPass<unknown>, 'editable' | 'onVerdict'>;

/** What tasks use of their session. */
export interface SessionTasksContext {
  readonly tickets: TicketStore;
  readonly catalogue: HostCatalogue;
  readonly acts: SessionActs;
  readonly principal: string;
  readonly warn: (warning: string) => void;
}

interface FollowedAct extends TaskPass {
  readonly act: Act;
  readonly subject: ActSubject;
  readonly signal: AbortSignal | undefined;
  /** The name of the tool in the catalogue. */
  readonly name: string;
  readonly id?: string;
  readonly onEnd?: () => void;
  /** Starts the task, or attaches to a running one. */
  begin(client: Client, permit: Permit): Promise<ClientTask>;
}

export class SessionTasks {
  readonly #context: SessionTasksContext;

  constructor(context: SessionTasksContext) {
    this.#context = context;
  }

  async start(name: string, args: JsonObject, options: RequestOptions & TaskPass): Promise<StartedTask> {
    const { onVerdict, signal, ...sent } = options;
    const { catalogue, acts } = this.#context;
    const subject = await catalogue.find('tool', name, signal);
    const act = acts.actOn('tool', subject, args);
    const begin = (client: Client, permit: Permit): Promise<ClientTask> =>
      client.start(subject.name, permit.arguments, { ...sent, signal });
    return this.#follow({ act, subject, name, begin, onVerdict, signal, editable: true });
  }

  /** Resumes a task. Its arguments are not stored, so the act only has the id of the task. */
  async resume({ id, server, name, ticket }: HostTicket, onEnd: () => void): Promise<StartedTask> {
    const { catalogue, acts } = this.#context;
    const subject = catalogue.findResource(server, TASK_ACT);
    const act = acts.actOn('extension', subject, { taskId: ticket.taskId });
    const begin = (client: Client): Promise<ClientTask> => client.attach(ticket);
    return this.#follow({ act, subject, name, id, begin, signal: undefined, onEnd });
  }

  /** Resolves as soon as the task exists. The act lasts until the task ends or the session closes. */
  #follow(followed: FollowedAct): Promise<StartedTask> {
    const { act, subject, name, id = randomUUID(), begin, signal, onEnd, ...options } = followed;
    const { acts, tickets, warn, principal } = this.#context;
    const opening = signal === undefined ? undefined : openingSignal(signal);
    return new Promise((resolve, reject) => {
      const run = async (client: Client, permit: Permit, actSignal: AbortSignal | undefined): Promise<ToolResult> => {
        const task = await begin(client, permit);
        if (task.ticket !== undefined) permit.noteTask(task.ticket.taskId);
        const { server } = subject.server.identity();
        const ticket = task.ticket && { id, server, name, principal, act: permit.id, ticket: task.ticket };
        const stored = new StoredTicket(tickets, ticket, warn);
        await stored.update(task.ticket);
        opening?.end();
        resolve({ act: permit.id, task: startedTask(task, ticket, stored, done) });
        const answer = await followTask(task, stored, { signal: actSignal, learn: permit.learn });
        return { ...withoutHopMeta(answer), act: permit.id };
      };
      const done = acts.runAct(act, subject, { ...options, given: { signal: opening?.signal }, run });
      done.catch(reject).finally(() => {
        opening?.end();
        onEnd?.();
      });
    });
  }
}

/** Removes the ticket when the result is taken or the task is cancelled. If the session closes earlier, a later one can resume the task. */
function startedTask(
  task: ClientTask,
  ticket: HostTicket | undefined,
  stored: StoredTicket,
  done: Promise<ToolResult>,
): HostTask {
  return {
    ticket,
    states: (options) => task.states(options),
    async result({ signal } = {}) {
      try {
        const result = await untilAborted(done, signal);
        await stored.remove();
        return result;
      } catch (error) {
        if (signal?.aborted !== true && endsTask(error)) await stored.remove();
        throw error;
      }
    },
    async cancel() {
      await task.cancel();
      await stored.remove();
    },
  };
}

/** Aborts with the caller's signal until the task exists. After that, the caller's signal does not affect the task. */
function openingSignal(given: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const control = new AbortController();
  return { signal: control.signal, end: onAbort(given, () => control.abort(given.reason)) };
}
