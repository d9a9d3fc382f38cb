/** A gateway node as a process: HTTP for callers, a port for other nodes, and Redis. Prints its URL. */
import process from 'node:process';
import { createGateway } from '../../src/gateway/index.ts';
import { redisBackend, sharedStores } from '../../src/stores/redis/index.ts';
import { serveHttp } from '../../src/transport/node.ts';
import { connectNodeRedis } from './redis-clients.ts';

const { REDIS_PORT, UPSTREAM = '', KEY = '' } = process.env;
const keys = [new Uint8Array(Buffer.from(KEY, 'base64url'))];
// A long timeout: Redis is slow only if the machine is busy.
const backend = redisBackend({ ...(await connectNodeRedis(Number(REDIS_PORT))), timeoutMs: 30_000 });
const gateway = createGateway({
  name: 'acme',
  version: '1',
  stateKeys: keys,
  peer: { listen: { port: 0 }, keys, store: backend },
  upstreams: { harbour: { url: UPSTREAM, revisions: ['2025-11-25'] } },
  onWarning: () => undefined,
});
const { sessions, eventLog } = sharedStores(backend);
const listener = await serveHttp(gateway, { port: 0, sessions, eventLog, peers: gateway.peers });
process.stdout.write(`${listener.url}\n`);
