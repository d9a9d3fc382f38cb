/** The part of undici that this room loads: the whole takes four times as long to start. The version is pinned. */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const pool: typeof Pool;
  export = pool;
}
