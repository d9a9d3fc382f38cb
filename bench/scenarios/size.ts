/** Install size and bundle size. */
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type OutputChunk } from 'rolldown';
import { closure, weigh, weight } from '../load/installed.ts';
import { mooringAt } from '../mooring-at.ts';
import { type AnyScenario, type Contender, scenario } from '../scenario.ts';

const here = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/** A subject without a process. */
class Weighed implements AsyncDisposable {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

const named = (name: string): Contender<Weighed> => ({ name, open: async () => new Weighed(name) });

/** The packages of a server over stdio and HTTP, with zod. */
const packages: ReadonlyMap<string, readonly string[]> = new Map([
  ['official v2', ['@modelcontextprotocol/server', '@modelcontextprotocol/node', 'zod']],
  ['official v1', ['@modelcontextprotocol/sdk', 'zod']],
  ['fastmcp', ['fastmcp', 'zod']],
  ['tmcp', ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-stdio', '@tmcp/transport-http', '@hono/node-server', 'zod']],
  ['mcp-lite', ['mcp-lite', '@hono/node-server', 'zod']],
]);

function install(name: string): { packages: number; bytes: number } {
  const theirs = packages.get(name);
  if (theirs !== undefined) return weigh(closure(theirs, here));
  const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { dependencies: object }; // our own package.json
  const needed = weigh(closure([...Object.keys(manifest.dependencies), 'zod'], root));
  const papers = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'].map(
    (file) => statSync(`${root}${file}`).size,
  );
  const own = papers.reduce((sum, size) => sum + size, weight(`${root}.cache/bench`));
  return { packages: needed.packages + 1, bytes: needed.bytes + own };
}

export const installSize: AnyScenario = scenario({
  id: 'install-size',
  title: 'Install size',
  about: 'All packages and files that npm installs for a server over stdio and HTTP with zod.',
  limit: 'Mooring',
  rows: [
    {
      id: 'bytes',
      title: 'size',
      unit: 'kB',
      exact: true,
      measure: async ({ name }) => ({ cost: install(name).bytes / 1_000 }),
    },
    {
      id: 'packages',
      title: 'packages',
      unit: 'packages',
      exact: true,
      measure: async ({ name }) => ({ cost: install(name).packages }),
    },
  ],
  contenders: ['Mooring', ...packages.keys()].map(named),
});

const programs: ReadonlyMap<string, string> = new Map([
  ['limit + zod', 'limit'],
  ['Mooring', 'mooring'],
  ['official v2', 'official-2'],
  ['official v1', 'official-1'],
  ['fastmcp', 'fastmcp'],
  ['tmcp', 'tmcp'],
]);

/** The chunks of the minimal server, minified. The first is the entry. */
async function bundled(name: string): Promise<OutputChunk[]> {
  const { output } = await build({
    input: `${here}minimal/${programs.get(name)}.ts`,
    platform: 'node',
    plugins: [{ name: 'mooring', resolveId: (id) => mooringAt(id, root) }],
    output: { minify: true, format: 'esm' },
    write: false,
    logLevel: 'silent',
  });
  return output.filter((file) => file.type === 'chunk');
}

const zipped = (chunks: readonly OutputChunk[]): number =>
  chunks.reduce((sum, { code }) => sum + gzipSync(code).length, 0) / 1_000;

/** The chunks that load at start: the entry, and its static imports. */
function atStart(chunks: readonly OutputChunk[]): OutputChunk[] {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set(chunks.slice(0, 1));
  for (const chunk of loaded)
    for (const next of chunk.imports) {
      const other = byName.get(next);
      if (other !== undefined) loaded.add(other);
    }
  return [...loaded];
}

export const bundleSize: AnyScenario = scenario({
  id: 'bundle-size',
  title: 'Bundle size of a minimal stdio server',
  about: 'A server with one tool that validates its arguments with zod, bundled by rolldown, minified and gzipped.',
  rows: [
    {
      id: 'start',
      title: 'loaded at start',
      unit: 'kB',
      exact: true,
      measure: async ({ name }) => ({ cost: zipped(atStart(await bundled(name))) }),
    },
    {
      id: 'all',
      title: 'including lazily loaded modules',
      unit: 'kB',
      exact: true,
      measure: async ({ name }) => ({ cost: zipped(await bundled(name)) }),
    },
  ],
  contenders: [...programs.keys()].map(named),
  without: { 'mcp-lite': 'no stdio' },
});
