/** The undici modules that `undici-wire.ts` imports: loading all of undici takes four times as long. The version is pinned. */
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
