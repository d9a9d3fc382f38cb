/** Verbs about sign-ins. What changes a token opens the server again, so that the steps can be seen. */
import { optional, string } from '../../model/shape.ts';
import { type VerbGroup, verb } from '../rpc.ts';
import type { Workbench } from '../workbench.ts';

export const signInVerbs = ({ signIns, servers }: Workbench): VerbGroup => ({
  screens: ['sign-in'],
  verbs: {
    'signIn.steps': verb({ server: string }, ({ server }) => signIns.state(server)),
    'signIn.forget': verb({ server: string }, async ({ server }) => {
      await servers.stop(server);
      await signIns.forget(server);
      return signIns.state(server);
    }),
    'signIn.expire': verb({ server: string }, async ({ server }) => {
      await servers.stop(server);
      await signIns.expire(server);
      await servers.connect(server);
      return signIns.state(server);
    }),
    'signIn.again': verb({ server: string, scope: optional(string) }, async ({ server, scope }) => {
      await servers.stop(server);
      await signIns.again(server, scope);
      await servers.connect(server);
      return signIns.state(server);
    }),
  },
});
