/** Processes that are killed, stopped and restarted. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { freePort } from '../support/free-port.ts';
import { systemProgram } from '../support/system-program.ts';

/** A child process that is restarted whenever it ends. */
export class ChaosProcess {
  readonly name: string;
  readonly #program: string;
  readonly #settings: object;
  #child: ChildProcess | undefined;

  constructor(name: string, program: string, settings: object) {
    this.name = name;
    this.#program = program;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    const env = { ...process.env, CHAOS: JSON.stringify(this.#settings) };
    const child = fork(this.#program, {
      env,
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    const [first] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as unknown[];
    if (first !== 'ready') throw new Error(`${this.name} did not start`);
  }

  send(message: string): void {
    if (this.#child?.connected === true) this.#child.send(message);
  }

  /** Asks the process for its report. */
  async report<T>(): Promise<T> {
    const child = this.#child as ChildProcess; // it was started
    this.send('report');
    const [report] = (await once(child, 'message')) as [T]; // the only message after `ready`
    return report;
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Ends it, with SIGTERM after its running work. */
  async end(how: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(how);
    await exited;
  }
}

/** The ports of a gateway: service and health check. */
export interface GatewayPorts {
  readonly port: number;
  readonly healthPort: number;
  /** The port for other gateways. */
  readonly peerPort: number;
}

/** A load balancer without sticky sessions. It repeats only requests that no gateway has processed. */
const configuration = (port: number, gateways: readonly GatewayPorts[]): string => `
global
  maxconn 4000
defaults
  mode http
  timeout connect 5s
  timeout check 5s
  timeout client 60s
  timeout server 60s
  option http-server-close
  option redispatch 1
  retries 5
  retry-on conn-failure 503
frontend in
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /ready
${gateways.map((at, i) => `  server n${i} 127.0.0.1:${at.port} check port ${at.healthPort} inter 200ms fall 1 rise 1`).join('\n')}
`;

export async function startBalancer(
  folder: string,
  gateways: readonly GatewayPorts[],
): Promise<{ readonly url: string; stop(): void }> {
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, configuration(port, gateways));
  const program = systemProgram('HAProxy', ['haproxy', '/usr/sbin/haproxy'], 'haproxy');
  const child = spawn(program, ['-f', resolve(file), '-db'], { stdio: ['ignore', 'ignore', 'ignore'] });
  const stop = (): void => void child.kill('SIGKILL');
  process.once('exit', stop);
  return { url: `http://127.0.0.1:${port}/mcp`, stop };
}
