/** A real Redis, single or clustered, in a temporary folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type Clock, systemClock } from '../../src/peer/clock.ts';
import { freePort } from '../support/free-port.ts';
import { systemProgram } from '../support/system-program.ts';

export interface RedisServer {
  readonly port: number;
  /** A clock for command timeouts that runs only while Redis is paused, because a busy machine does not make Redis unreachable. */
  readonly clock: Clock;
  /** Stops it (SIGSTOP) until `resume`. */
  pause(): void;
  resume(): void;
  /** Kills it (SIGKILL), and restarts it from disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const program = (): string => systemProgram('Redis', ['redis-server', 'valkey-server'], 'redis-server');
const cli = (port: number, ...args: string[]): string =>
  execFileSync(systemProgram('redis-cli', ['redis-cli'], 'redis-tools'), ['-p', `${port}`, ...args], {
    encoding: 'utf8',
  });

/** Resolves when it accepts commands. Writes every command to disk, as a task store needs. */
export async function startRedis(...more: string[]): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-redis-'));
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  let child = await run([...args, ...more]);
  const kill = async (): Promise<void> => {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  const onExit = (): void => void child.kill('SIGKILL');
  process.once('exit', onExit);
  let stoppedMs = 0;
  let stoppedAt: number | undefined;
  const stoppedSince = (): number => (stoppedAt === undefined ? 0 : systemClock.now() - stoppedAt);
  return {
    port,
    clock: { ...systemClock, now: () => stoppedMs + stoppedSince() },
    pause() {
      child.kill('SIGSTOP');
      stoppedAt = systemClock.now();
    },
    resume() {
      child.kill('SIGCONT');
      stoppedMs += stoppedSince();
      stoppedAt = undefined;
    },
    async restart() {
      await kill();
      child = await run([...args, ...more]);
    },
    async stop() {
      process.off('exit', onExit);
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function run(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(program(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await ready(child);
  return child;
}

/** Three primaries that share the slots. */
export async function startCluster(): Promise<RedisServer> {
  const nodes: RedisServer[] = [];
  for (let i = 0; i < 3; i++)
    nodes.push(await startRedis('--cluster-enabled', 'yes', '--cluster-port', `${await freePort()}`));
  const [{ port, clock }] = nodes as [RedisServer, ...RedisServer[]]; // there are three
  cli(port, '--cluster', 'create', ...nodes.map((node) => `127.0.0.1:${node.port}`), '--cluster-yes');
  // Each node must have learned that all slots are served.
  for (const node of nodes) while (!cli(node.port, 'CLUSTER', 'INFO').includes('cluster_state:ok'));
  const all = (change: (node: RedisServer) => unknown) => async () => void (await Promise.all(nodes.map(change)));
  return {
    ...{ port, clock },
    pause: () => nodes.map((node) => node.pause()),
    resume: () => nodes.map((node) => node.resume()),
    restart: all((node) => node.restart()),
    stop: all((node) => node.stop()),
  };
}

function ready(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
      if (log.includes('Ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`Redis did not start:\n${log}`)));
    child.once('error', reject);
  });
}
