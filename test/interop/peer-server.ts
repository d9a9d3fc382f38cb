/** Other people's servers as commands for our client, which remember every process that was started. */
import type { Command } from '../../src/connect/index.ts';
import { isRunning } from './is-running.ts';

export interface PeerServer {
  readonly command: Command;
  /** Every process that was started, in order. */
  readonly pids: readonly number[];
  /** Those that are still there. */
  running(): number[];
}

/** A program of Node's. Each process says its number on stderr before anything else of it runs. */
export function peerServer(program: string, ...args: readonly string[]): PeerServer {
  const pids: number[] = [];
  const hello = 'data:text/javascript,console.error("pid:"+process.pid)';
  return {
    pids,
    running: () => pids.filter(isRunning),
    command: {
      command: process.execPath,
      args: ['--import', hello, program, ...args],
      onStderr: (text) => pids.push(...[...text.matchAll(/^pid:(\d+)$/gm)].map(([, pid]) => Number(pid))),
    },
  };
}
