/** Verbs about tasks. */
import { string } from '../../model/shape.ts';
import { type VerbGroup, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

export const taskVerbs = ({ tasks }: Workbench): VerbGroup => ({
  screens: ['tasks'],
  verbs: {
    'tasks.list': verb({}, async () => ({ tasks: await tasks.list() })),
    'tasks.attach': verb({ ticket: string }, ({ ticket }) => tasks.attach(ticket)),
    'tasks.detach': verb({ ticket: string }, ({ ticket }) => tasks.detach(ticket)),
    'tasks.cancel': verb({ ticket: string }, ({ ticket }) => tasks.cancel(ticket)),
  },
});
