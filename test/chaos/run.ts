/**
 * Chaos test: three gateways behind a load balancer without sticky sessions, upstreams of both eras, Redis, and callers. Parts are
 * killed, stopped, cut off and restarted. Options: `--short` (a minute), `--minutes 60`, `--callers 200`, `--only reload`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { startRedis } from '../stores/redis-server.ts';
import { compilePrograms } from '../support/compile-programs.ts';
import { freePort } from '../support/free-port.ts';
import { ChaosCallers } from './callers.ts';
import { type ChaosRecord, chaosTable, checkChaos } from './checker.ts';
import { disturb, fullPlan, memoryPlan, shortMemoryPlan, shortPlan } from './disturbances.ts';
import { ChaosProcess, type GatewayPorts, startBalancer } from './processes.ts';
import type { GatewayReport } from './programs/settings.ts';
import { startRelay } from './relay.ts';
import { ChaosWatchers } from './watchers.ts';

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    callers: { type: 'string' },
    only: { type: 'string' },
  },
});
const callers = Number(values.callers ?? (values.short ? 12 : 60));
const folder = resolve('.cache/chaos');
const ledger = `${folder}/ledger`;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(ledger, '');
const pause = (ms: number): Promise<void> => new Promise((resolved) => void setTimeout(resolved, ms));

await compilePrograms(
  { gateway: 'test/chaos/programs/gateway.ts', upstream: 'test/chaos/programs/upstream.ts' },
  folder,
);
const redis = await startRedis();
const eras = { modern: '2026-07-28', legacy: '2025-11-25' };
const upstreams: ChaosProcess[] = [];
const relays: Awaited<ReturnType<typeof startRelay>>[] = [];
const urls: Record<string, string> = {};
for (const [label, revision] of Object.entries(eras)) {
  const port = await freePort();
  upstreams.push(new ChaosProcess(label, `${folder}/upstream.mjs`, { port, label, revision, ledger }));
  const relay = await startRelay(port);
  relays.push(relay);
  urls[label] = `http://127.0.0.1:${relay.port}/mcp`;
}
const ports: GatewayPorts[] = [];
for (let i = 0; i < 3; i++)
  ports.push({ port: await freePort(), healthPort: await freePort(), peerPort: await freePort() });
const gateways = ports.map(
  (own, i) =>
    new ChaosProcess(`gateway ${i}`, `${folder}/gateway.mjs`, { ...own, redisPort: redis.port, upstreams: urls }),
);
// Gateways start first, so that they begin without upstreams.
for (const group of [gateways, upstreams]) await Promise.all(group.map((one) => one.start()));
const balancer = await startBalancer(folder, ports);
await pause(500);

const load = new ChaosCallers();
const watchers = new ChaosWatchers(balancer.url, upstreams);
const record: { windows: ChaosRecord['windows'][number][] } = { windows: [] };
const heaps: number[][] = gateways.map(() => []);
/** Number of memory measurements. */
const MEMORY_ROUNDS = values.short ? 4 : 10;
const report = (): Promise<GatewayReport[]> => Promise.all(gateways.map((one) => one.report<GatewayReport>()));
let failure: unknown;
try {
  await watchers.start(Object.values(eras));
  const everywhere = ['once', 'ask', 'stream'].flatMap((tool) => [`modern__${tool}`, `legacy__${tool}`]);
  load.start({ url: balancer.url, revision: eras.modern, tools: everywhere }, callers / 2);
  load.start({ url: balancer.url, revision: eras.legacy, tools: everywhere }, callers / 2);
  load.startSessions(balancer.url, 'modern__once', 3);
  const world = { redis, gateways, upstreams, relays, pause };
  const plan = (values.short ? shortPlan : fullPlan).filter(({ name }) => name.includes(values.only ?? ''));
  const until = performance.now() + Number(values.minutes ?? 0) * 60_000;
  do {
    await disturb(world, plan, record.windows);
    // A watcher reconnects first, because it misses changes while it is disconnected.
    await pause(5_000);
    await watchers.check();
  } while (performance.now() < until);
  for (let round = 0; round < MEMORY_ROUNDS; round++) {
    await disturb(world, values.short ? shortMemoryPlan : memoryPlan, record.windows);
    for (const [i, { heapBytes }] of (await report()).entries()) heaps[i]?.push(heapBytes);
  }
} catch (thrown) {
  failure = thrown;
}
await load.stop();
await watchers.stop();
/** The time after which calls of failed callers have ended: as long as a question can stay open. */
const QUIET_MS = 30_000;
let leftOpen: number;
for (const until = performance.now() + QUIET_MS; ; ) {
  await pause(1_000);
  leftOpen = (await report()).reduce((sum, { openCalls, waitingCalls }) => sum + openCalls + waitingCalls, 0);
  if (leftOpen === 0 || performance.now() > until) break;
}
balancer.stop();
for (const one of [...gateways, ...upstreams]) await one.end('SIGKILL');
for (const relay of relays) relay.stop();
await redis.stop();

const done = readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
const whole = { ...record, notes: load.notes, ledger: done, ...watchers.counts, leftOpen, heaps };
const demands = checkChaos(whole);
console.log(chaosTable(whole, demands));
if (failure !== undefined) console.error(failure);
if (load.notes.calls.length < 100) console.error('FAIL: fewer than 100 calls were made');
process.exit(
  failure === undefined && load.notes.calls.length >= 100 && demands.every(({ count }) => count === 0) ? 0 : 1,
);
