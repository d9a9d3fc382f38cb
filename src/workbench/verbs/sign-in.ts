/** Verbs about sign-ins. What changes a token opens the server again, so that the steps can be seen. */
import { optional, shape, string } from '../../model/shape.ts';
import type { VerbParams } from '../protocol.ts';
import type { VerbGroup } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

const ofServer = shape<{ readonly server: string }>({ server: string });

export const signInVerbs = ({ signIns, servers }: Workbench): VerbGroup => ({
  screens: ['sign-in'],
  verbs: {
    'signIn.steps': { params: ofServer, run: ({ server }) => signIns.state(server) },
    'signIn.forget': {
      params: ofServer,
      run: async ({ server }) => {
        await servers.stop(server);
        await signIns.forget(server);
        return signIns.state(server);
      },
    },
    'signIn.expire': {
      params: ofServer,
      run: async ({ server }) => {
        await servers.stop(server);
        await signIns.expire(server);
        await servers.connect(server);
        return signIns.state(server);
      },
    },
    'signIn.again': {
      params: shape<VerbParams<'signIn.again'>>({ server: string, scope: optional(string) }),
      run: async ({ server, scope }) => {
        await servers.stop(server);
        await signIns.again(server, scope);
        await servers.connect(server);
        return signIns.state(server);
      },
    },
  },
});
