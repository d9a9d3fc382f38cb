/** The parts of undici that this room loads: the whole takes four times as long to start. The version is pinned. */
declare module 'undici/lib/dispatcher/client.js' {
  import type { Client } from 'undici';

  const client: typeof Client;
  export = client;
}
declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici';

  const connect: typeof buildConnector;
  export = connect;
}
