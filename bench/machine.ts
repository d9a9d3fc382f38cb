/** Describes the machine and the versions of a run. */
import { readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  readonly node: string;
  readonly platform: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGb: number;
  /** The load average at the start and at the end of the run. */
  readonly load: readonly [number, number];
}

const busy = (): number => loadavg()[0] ?? 0;

export function machine(loadBefore: number): Machine {
  const [first] = cpus();
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    processor: first?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    load: [loadBefore, busy()],
  };
}

export const loadNow = busy;

const peers = [
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/node',
  '@modelcontextprotocol/sdk',
  'fastmcp',
  'tmcp',
  '@tmcp/transport-http',
  '@tmcp/transport-stdio',
  'mcp-lite',
  'mcp-proxy',
  'supergateway',
  '@hono/node-server',
  'undici',
  'zod',
  'valibot',
  'ajv',
] as const;

/** Name and version of each package that takes part. */
export function versions(): Readonly<Record<string, string>> {
  const read = (path: string): string =>
    (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version; // every package has one
  return {
    mooring: read('../../package.json'),
    ...Object.fromEntries(peers.map((name) => [name, read(`../node_modules/${name}/package.json`)])),
  };
}
