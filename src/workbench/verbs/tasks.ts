/** Verbs about tasks. */
import { string } from '../../model/shape.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { WorkbenchTasks } from '../workbench-tasks.ts';

export const taskVerbs = (tasks: WorkbenchTasks): VerbTable => ({
  'tasks.list': verb({}, async () => ({ tasks: await tasks.list() })),
  'tasks.attach': verb({ ticket: string }, ({ ticket }) => tasks.attach(ticket)),
  'tasks.detach': verb({ ticket: string }, ({ ticket }) => tasks.detach(ticket)),
  'tasks.cancel': verb({ ticket: string }, ({ ticket }) => tasks.cancel(ticket)),
});
