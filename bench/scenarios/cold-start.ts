/** Cold start: the time to the first result, and the part that imports take. */
import { fileURLToPath } from 'node:url';
import { type Entry, NO_STDIO, overStdio } from '../contenders.ts';
import { StdioSubject } from '../load/stdio-subject.ts';
import { mooringAt } from '../mooring-at.ts';
import { type AnyScenario, type Contender, type Sample, scenario } from '../scenario.ts';
import { Subject } from '../subject.ts';
import { echo, list } from '../wire.ts';
import { mustBe, type ToolResult, textOf } from '../work.ts';

/** A subject without state: each measurement starts a process. */
class Cold implements AsyncDisposable {
  readonly measure: () => Promise<Sample>;

  constructor(measure: () => Promise<Sample>) {
    this.measure = measure;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

async function firstResult(entry: Entry): Promise<Sample> {
  const began = performance.now();
  await using subject = StdioSubject.spawn(entry);
  await subject.begin();
  const { result: listed } = await subject.call(list);
  mustBe('2', String((listed as { tools: unknown[] }).tools.length));
  const { result } = await subject.call(echo('ahoy'));
  mustBe('ahoy', textOf(result as ToolResult)); // checked by textOf
  const took = performance.now() - began;
  return { cost: (await subject.process.usage()) / 1_000, p50: took, p99: took };
}

export const coldStart: AnyScenario = scenario({
  id: 'cold-start',
  title: 'Cold start to the first result',
  about:
    'Starts a stdio server, does the handshake, lists the tools and calls one. The baseline validates with zod, as the others do.',
  limit: 'limit + zod',
  rows: [{ id: 'stdio', title: 'stdio server', unit: 'CPU ms', cold: true, measure: (one) => one.measure() }],
  contenders: overStdio.map((entry) => ({
    name: entry.name,
    open: async () => new Cold(() => firstResult(entry)),
  })),
  without: NO_STDIO,
});

async function imported(modules: readonly string[]): Promise<Sample> {
  await using subject = new Subject({ program: 'limit/importing', setup: { modules } });
  return (await subject.ready) as Sample; // the first message of the program
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const found = (module: string): string => mooringAt(module, root) ?? module;

const importing = (name: string, ...modules: readonly string[]): Contender<Cold> => ({
  name,
  open: async () => new Cold(() => imported(modules.map(found))),
});

export const importTime: AnyScenario = scenario({
  id: 'import',
  title: 'Importing an HTTP server',
  about: 'Imports the modules of an HTTP server, without a schema library unless the package requires one.',
  rows: [{ id: 'http', title: 'HTTP server', unit: 'CPU ms', cold: true, measure: (one) => one.measure() }],
  contenders: [
    importing('limit', 'node:http'),
    importing('Mooring', 'mooring', 'mooring/node'),
    importing('official v2', '@modelcontextprotocol/server', '@modelcontextprotocol/node'),
    importing(
      'official v1',
      '@modelcontextprotocol/sdk/server/mcp.js',
      '@modelcontextprotocol/sdk/server/streamableHttp.js',
    ),
    importing('fastmcp', 'fastmcp'),
    importing('tmcp', 'tmcp', '@tmcp/transport-http', '@hono/node-server'),
    importing('mcp-lite', 'mcp-lite', '@hono/node-server'),
  ],
});
