/** Our two programs, bundled to plain JavaScript so that starting one costs nothing, and the server while it runs. */
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
    // The entry points by their names, as users write them.
    tsconfig: `${root}tsconfig.json`,
    output: { dir: output, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
    logLevel: 'warn',
  });
}

/** What the suite starts once per scenario. Its own runtime is newer than ours, so ours is named in full. */
export const clientCommand = (gate: Gate): string => `"${process.execPath}" "${output}in-turn.mjs" ${gate.port}`;

export interface RunningServer {
  readonly url: string;
  /** What it wrote to its error stream: nothing, if all is well. */
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
  // It has connections to end; what is still there after that is a fault, and not waited for.
  const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(hard);
}
