/** The disturbances, which run one after the other while callers call. */
import type { RedisServer } from '../stores/redis-server.ts';
import type { DisturbanceWindow } from './checker.ts';
import type { ChaosProcess } from './processes.ts';
import type { Relay } from './relay.ts';

export interface ChaosWorld {
  readonly redis: RedisServer;
  readonly gateways: readonly ChaosProcess[];
  readonly upstreams: readonly ChaosProcess[];
  readonly relays: readonly Relay[];
  pause(ms: number): Promise<void>;
}

interface Disturbance extends Pick<DisturbanceWindow, 'store' | 'isHarmless'> {
  readonly name: string;
  /** How long calls can still fail afterwards. */
  readonly settleMs?: number;
  run(world: ChaosWorld): Promise<void>;
}

/** An open circuit stays open for a while after its upstream is back. */
const CIRCUIT_MS = 6_000;
const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T; // not empty

const killGateway: Disturbance = {
  name: 'kill -9 of a gateway',
  settleMs: 500,
  async run({ gateways }) {
    const victim = pick(gateways);
    await victim.end('SIGKILL');
    await victim.start();
  },
};

const stopGateway: Disturbance = {
  name: 'SIGSTOP of a gateway',
  settleMs: 500,
  async run({ gateways, pause }) {
    const victim = pick(gateways);
    victim.signal('SIGSTOP');
    await pause(2_000);
    victim.signal('SIGCONT');
  },
};

const restartRedis: Disturbance = {
  name: 'kill -9 and restart of Redis',
  store: true,
  settleMs: 2_000,
  run: ({ redis }) => redis.restart(),
};

const stopRedis: Disturbance = {
  name: 'SIGSTOP of Redis',
  store: true,
  settleMs: 2_000,
  async run({ redis, pause }) {
    redis.pause();
    await pause(3_000);
    redis.resume();
  },
};

const killUpstream: Disturbance = {
  name: 'kill -9 of an upstream',
  settleMs: CIRCUIT_MS,
  async run({ upstreams }) {
    const victim = pick(upstreams);
    await victim.end('SIGKILL');
    await victim.start();
  },
};

const delay: Disturbance = {
  name: '200 ms delay to the upstreams',
  isHarmless: true,
  async run({ relays, pause }) {
    for (const relay of relays) relay.delayMs = 200;
    await pause(2_000);
    for (const relay of relays) relay.delayMs = 0;
  },
};

const cut: Disturbance = {
  name: 'cut of connections to the upstreams',
  settleMs: CIRCUIT_MS,
  async run({ relays }) {
    for (const relay of relays) relay.cut(0.3);
  },
};

const loss: Disturbance = {
  name: '2 % loss to the upstreams',
  isHarmless: true,
  async run({ relays, pause }) {
    for (const relay of relays) relay.lossShare = 0.02;
    await pause(3_000);
    for (const relay of relays) relay.lossShare = 0;
  },
};

const loseConnections: Disturbance = {
  name: 'connections to the upstreams that lose everything',
  settleMs: CIRCUIT_MS,
  async run({ relays, pause }) {
    const breaks = relays.map((relay) => relay.lose(0.3));
    await pause(1_000);
    for (const end of breaks) end();
  },
};

const rollingRestart: Disturbance = {
  name: 'rolling restart',
  isHarmless: true,
  async run({ gateways, pause }) {
    for (const gateway of gateways) {
      await gateway.end('SIGTERM');
      await gateway.start();
      await pause(500);
    }
  },
};

const reload: Disturbance = {
  name: 'reload',
  isHarmless: true,
  async run({ gateways, pause }) {
    for (let n = 0; n < 3; n++) {
      for (const gateway of gateways) gateway.send('reload');
      await pause(300);
    }
  },
};

const withoutRestart = [stopGateway, restartRedis, stopRedis, killUpstream, delay, loss, cut, loseConnections, reload];
const each = [killGateway, ...withoutRestart, rollingRestart];
export const shortPlan: readonly Disturbance[] = each;
/** Disturbances that do not restart gateways, so that heap sizes of rounds can be compared. */
export const memoryPlan: readonly Disturbance[] = withoutRestart;
export const shortMemoryPlan: readonly Disturbance[] = [reload];
export const fullPlan: readonly Disturbance[] = [...each, ...Array.from({ length: 5 }, () => killGateway), ...each];

/** The time between two disturbances, in which everything recovers. */
const QUIET_MS = 1_500;

export async function disturb(
  world: ChaosWorld,
  plan: readonly Disturbance[],
  windows: DisturbanceWindow[],
): Promise<void> {
  for (const { run, name, settleMs = 0, ...rest } of plan) {
    await world.pause(QUIET_MS);
    const began = performance.now();
    await run(world);
    await world.pause(settleMs);
    windows.push({ ...rest, name, began, ended: performance.now() });
  }
  await world.pause(QUIET_MS);
}
