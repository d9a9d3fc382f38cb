/** Verbs about tasks. */
import { shape, string } from '../../model/shape.ts';
import type { VerbGroup } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

const ofTicket = shape<{ readonly ticket: string }>({ ticket: string });

export const taskVerbs = ({ tasks }: Workbench): VerbGroup => ({
  screens: ['tasks'],
  verbs: {
    'tasks.list': {
      params: shape<Readonly<Record<string, never>>>({}),
      run: async () => ({ tasks: await tasks.list() }),
    },
    'tasks.attach': { params: ofTicket, run: ({ ticket }) => tasks.attach(ticket) },
    'tasks.detach': { params: ofTicket, run: ({ ticket }) => tasks.detach(ticket) },
    'tasks.cancel': { params: ofTicket, run: ({ ticket }) => tasks.cancel(ticket) },
  },
});
