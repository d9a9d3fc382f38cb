/** Verbs about sign-ins. Verbs that change a token reconnect the server, so that the steps become visible. */
import { optional, string } from '../../model/shape.ts';
import { type VerbTable, verb } from '../rpc.ts';
import type { WorkbenchServers } from '../workbench-servers.ts';
import type { WorkbenchSignIns } from '../workbench-sign-ins.ts';

export const signInVerbs = (signIns: WorkbenchSignIns, servers: WorkbenchServers): VerbTable => ({
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
    await signIns.reset(server, scope);
    await servers.connect(server);
    return signIns.state(server);
  }),
});
