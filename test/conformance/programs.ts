/** Bundles our two programs to JavaScript, so that they start quickly, and starts the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import type { Gate } from './gate.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = `${root}.cache/conformance/`;

export async function bundlePrograms(): Promise<void> {
  await build({
    input: ['everything-server', 'everything-gateway', 'in-turn'].map((name) => `${root}test/conformance/${name}.ts`),
    cwd: root,
    platform: 'node',
    transform: { target: 'node20' },
    // Entry points by their package names.
    tsconfig: `${root}tsconfig.json`,
    output: { dir: output, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    logLevel: 'warn',
  });
}

/** The command that the suite runs once per scenario. The suite has a newer Node, so ours is an absolute path. */
export const clientCommand = (gate: Gate): string => `"${process.execPath}" "${output}in-turn.mjs" ${gate.port}`;

export interface RunningServer {
  readonly url: string;
  /** The output on stderr, which should be empty. */
  readonly complaints: () => string;
  stop(): Promise<void>;
}

export const startServer = (): Promise<RunningServer> => start('everything-server', '--port', '0');

/** The same server behind a gateway. */
export const startGateway = (server: RunningServer): Promise<RunningServer> =>
  start('everything-gateway', '--upstream', server.url);

async function start(program: string, ...args: readonly string[]): Promise<RunningServer> {
  const child = spawn(process.execPath, [`${output}${program}.mjs`, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text;
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, complaints: () => complaints, stop: () => stop(child) };
  }
  throw new Error(`The ${program} did not start:\n${complaints}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  // A server that takes longer to close its connections is killed, which fails the run.
  const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(hard);
}
