/** Other people's servers as targets for our client, which remember every process that was started. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Command } from '../../src/connect/index.ts';
import { isRunning } from './is-running.ts';

export interface PeerServer {
  readonly target: Command | string;
  /** Every process that was started, in order. */
  readonly pids: readonly number[];
  /** Those that are still there. */
  running(): number[];
  /** Ends it, where closing the conversation does not. */
  stop(): void;
}

/** A program of Node's. Each process says its number on stderr before anything else of it runs. */
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

/** The same over HTTP: the program says its address. */
export async function peerHttpServer(program: string, ...args: readonly string[]): Promise<PeerServer> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [target] = (await once(createInterface(child.stdout), 'line')) as [string];
  const pids = [child.pid ?? 0];
  return { target, pids, running: () => pids.filter(isRunning), stop: () => void child.kill() };
}
