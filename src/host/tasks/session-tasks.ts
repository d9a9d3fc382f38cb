/** The tasks of one session: begun and taken up again through the gate, in its user's name. */
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
import { followTask, type HostTask, isFinalError, type StartedTask } from './host-task.ts';
import { KeptTicket } from './kept-ticket.ts';
import type { HostTicket, TicketStore } from './tickets.ts';

/** What comes back for a task: a request of an extension, as far as rules are concerned. */
const TASK_ACT = 'tasks/get';

type TaskPass = Pick<SessionPass<unknown>, 'editable' | 'onVerdict'>;

/** What tasks need of their session. */
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
  /** The tool by its name in the catalogue. */
  readonly name: string;
  readonly id?: string;
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

  /** The arguments of the task are not known any more, so the act names the task alone. */
  async resume({ id, server, name, ticket }: HostTicket): Promise<StartedTask> {
    const { catalogue, acts } = this.#context;
    const subject = catalogue.findResource(server, TASK_ACT);
    const act = acts.actOn('extension', subject, { taskId: ticket.taskId });
    return this.#follow({ act, subject, name, id, begin: (client) => client.attach(ticket), signal: undefined });
  }

  /** The act lasts until the task ends or the session does; what is returned is there as soon as the task is. */
  #follow({ act, subject, name, id = randomUUID(), begin, signal, ...options }: FollowedAct): Promise<StartedTask> {
    const { acts, tickets, warn, principal } = this.#context;
    const opening = signal === undefined ? undefined : openingSignal(signal);
    return new Promise((resolve, reject) => {
      const run = async (client: Client, permit: Permit, over: AbortSignal | undefined): Promise<ToolResult> => {
        const task = await begin(client, permit);
        if (task.ticket !== undefined) permit.noteTask(task.ticket.taskId);
        const { server } = subject.server.facts();
        const ticket = task.ticket && { id, server, name, principal, act: permit.id, ticket: task.ticket };
        const kept = new KeptTicket(tickets, ticket, warn);
        await kept.keep(task.ticket);
        opening?.end();
        resolve({ act: permit.id, task: startedTask(task, ticket, kept, done) });
        const answer = await followTask(task, kept, { signal: over, learn: permit.learn });
        return { ...withoutHopMeta(answer), act: permit.id };
      };
      const done = acts.runAct(act, subject, { ...options, given: { signal: opening?.signal }, run });
      done.catch(reject).finally(() => opening?.end());
    });
  }
}

/** The ticket is kept until the result was taken or the task cancelled: a session that ends before leaves it to the next one. */
function startedTask(
  task: ClientTask,
  ticket: HostTicket | undefined,
  kept: KeptTicket,
  done: Promise<ToolResult>,
): HostTask {
  return {
    ticket,
    states: (options) => task.states(options),
    async result({ signal } = {}) {
      try {
        const result = await untilAborted(done, signal);
        await kept.forget();
        return result;
      } catch (error) {
        if (signal?.aborted !== true && isFinalError(error)) await kept.forget();
        throw error;
      }
    },
    async cancel() {
      await task.cancel();
      await kept.forget();
    },
  };
}

/** Aborts with the caller's signal until there is a task. From then on, the caller's signal ends only its own waiting. */
function openingSignal(given: AbortSignal): { readonly signal: AbortSignal; end(): void } {
  const control = new AbortController();
  return { signal: control.signal, end: onAbort(given, () => control.abort(given.reason)) };
}
