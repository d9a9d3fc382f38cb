/** Limits the client of a server to what a `ConnectedServer` shows. */
import type { Client } from '../../client/index.ts';
import type { ConnectedServer } from './managed-server.ts';

export const connectedServer = (client: Client): ConnectedServer => ({
  get server() {
    return client.server;
  },
  list: (kind, options) => client.list(kind, options),
  watch: (filter, options) => client.watch(filter, options),
});
