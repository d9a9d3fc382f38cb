/** One of several gateways that share only Redis. */
import { createServer } from 'node:http';
import process from 'node:process';
import { createGateway, type GatewaySpec } from '../../../src/gateway/index.ts';
import { redisStores } from '../../../src/stores/redis/index.ts';
import { serveHttp } from '../../../src/transport/node.ts';
import { connectNodeRedis } from '../../stores/redis-clients.ts';
import { type GatewayReport, type GatewaySettings, parentMessages } from './settings.ts';

const { port, healthPort, peerPort, redisPort, upstreams }: GatewaySettings = JSON.parse(process.env['CHAOS'] ?? '{}');
const { sessions, eventLog, singleUse, backend: store } = redisStores(await connectNodeRedis(redisPort));

const spec = (): GatewaySpec => ({
  name: 'chaos',
  version: '1.0.0',
  upstreams: members,
  stateKeys: [new Uint8Array(32).fill(9)],
  stateLog: singleUse,
  peer: { listen: { port: peerPort }, keys: [new Uint8Array(32).fill(8)], store },
  onWarning: () => undefined,
});
/** Equal values at each reload, so that conversations are kept. */
const members = Object.fromEntries(
  Object.entries(upstreams).map(([label, url]) => [
    label,
    { url, circuit: { openMs: 500 }, idleMs: 3_000, timeouts: { questionMs: 10_000 } },
  ]),
);
const gateway = createGateway(spec());
let storeErrors = 0;
const listener = await serveHttp(gateway, {
  ...{ port, sessions, eventLog, peers: gateway.peers },
  onStoreError: () => storeErrors++,
});

function report(): GatewayReport {
  const states = [...gateway.upstreams.values()];
  const sum = (of: (state: (typeof states)[number]) => number): number => states.reduce((all, one) => all + of(one), 0);
  globalThis.gc?.();
  return {
    waitingCalls: sum(({ calls }) => calls.waiting),
    openCalls: sum(({ calls }) => calls.open),
    conversations: sum(({ conversations }) => conversations),
    heapBytes: process.memoryUsage().heapUsed,
    storeErrors,
  };
}

parentMessages((message) => {
  if (message === 'reload') gateway.reload(spec());
  if (message === 'report') process.send?.(report());
});
/** For the health check: the load balancer sends nothing to a gateway that is shutting down. */
let isReady = true;
const health = createServer((_, response) => response.writeHead(isReady ? 200 : 503).end());
await new Promise<void>((resolve) => void health.listen(healthPort, '127.0.0.1', resolve));
const SETTLE_MS = 1_500;
/** The same as in `mooring gateway`. */
const DRAIN_MS = 25_000;
process.on('SIGTERM', () => {
  isReady = false;
  void new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    .then(() => listener.close(DRAIN_MS))
    .then(() => gateway.close(DRAIN_MS))
    .then(() => process.exit(0));
});
process.send?.('ready');
