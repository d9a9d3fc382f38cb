/** Starts other servers for our client, and records all started processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import type { Command } from '../../src/connect/index.ts';
import { freePort } from '../support/free-port.ts';
import { isRunning } from './is-running.ts';
import { soon } from './soon.ts';

export interface PeerServer {
  readonly target: Command | string;
  /** The ids of all started processes, in order. */
  readonly pids: readonly number[];
  /** Those that are running. */
  running(): number[];
  /** Ends it, if closing the conversation does not. */
  stop(): void;
}

/** A Node program. Each process prints its pid on stderr before it runs. */
export function peerServer(program: string, ...args: readonly string[]): PeerServer {
  const pids: number[] = [];
  const hello = 'data:text/javascript,console.error("pid:"+process.pid)';
  return {
    pids,
    running: () => pids.filter(isRunning),
    stop: () => undefined,
    target: {
      command: process.execPath,
      args: ['--import', hello, program, ...args],
      onStderr: (text) => pids.push(...[...text.matchAll(/^pid:(\d+)$/gm)].map(([, pid]) => Number(pid))),
    },
  };
}

/** The same over HTTP: the program prints its URL. */
export async function peerHttpServer(program: string, ...args: readonly string[]): Promise<PeerServer> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [target] = (await once(createInterface(child.stdout), 'line')) as [string];
  const pids = [child.pid ?? 0];
  return { target, pids, running: () => pids.filter(isRunning), stop: () => void child.kill() };
}

/** The reference server over HTTP: gets its port, and prints nothing reliable. */
export async function published(program: string, over: 'streamableHttp' | 'sse'): Promise<PeerServer> {
  const port = await freePort();
  const env = { ...process.env, PORT: String(port) };
  const child = spawn(process.execPath, [program, over], { stdio: 'ignore', env });
  await soon(() => reach(port));
  const pids = [child.pid ?? 0];
  const target = `http://localhost:${port}/${over === 'sse' ? 'sse' : 'mcp'}`;
  return { target, pids, running: () => pids.filter(isRunning), stop: () => void child.kill('SIGKILL') };
}

async function reach(port: number): Promise<void> {
  const socket = connect(port, 'localhost');
  await once(socket, 'connect').finally(() => socket.destroy());
}
