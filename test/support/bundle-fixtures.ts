/**
 * Runs once before the tests: bundles the server fixtures, so that real child processes start without a TypeScript loader,
 * and gets the official shapes of messages out of their packages.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';
import type { TestProject } from 'vitest/node';
import { writeOfficialShapes } from './official-shapes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const output = join(root, '.cache/fixtures');
const programs: ReadonlyMap<string, string> = new Map([
  ['serve', 'test/fixtures/serve.ts'],
  ['serve-gateway', 'test/fixtures/serve-gateway.ts'],
  ['weighed', 'test/fixtures/http/weighed.ts'],
  ['pieces', 'test/fixtures/auth/pieces.ts'],
  ['inbox-host', 'test/fixtures/host/inbox-host.ts'],
  ['lock-writer', 'test/fixtures/host/lock-writer.ts'],
  // For modules that tests write: a process loads one file faster than it compiles the source.
  ['mooring', 'src/index.ts'],
  ['host', 'src/host/index.ts'],
  // As deep as it lies in `src`, for it looks for the files of the workbench from where it is.
  ['cli/main', 'src/cli/main.ts'],
]);

/** The unit tests start no others. */
const UNIT: readonly string[] = ['serve', 'cli/main'];

export async function setup({ name: project }: Pick<TestProject, 'name'>): Promise<void> {
  mkdirSync(join(output, 'cli'), { recursive: true });
  const needed = [...programs].filter(([name]) => project !== 'unit' || UNIT.includes(name));
  // One by one: together, what they share would become a chunk that every child has to find.
  await Promise.all([...needed.map(([name, input]) => bundle(name, input)), writeOfficialShapes()]);
  prune();
}

async function bundle(name: string, input: string): Promise<void> {
  const { output: files } = await build({
    input: join(root, input),
    cwd: root,
    platform: 'node',
    transform: { target: 'node20' },
    // What the source imports lazily stays a chunk of its own, so that it costs a child nothing until it is needed.
    output: { format: 'esm', entryFileNames: `${name}.mjs`, chunkFileNames: `${name}-[name]-[hash].mjs` },
    logLevel: 'warn',
    write: false,
  });
  for (const file of files.toReversed()) {
    // Another run may be starting children from the same file: it sees the old bundle or the new one, never half of one.
    const half = join(output, `${file.fileName}.${process.pid}`);
    writeFileSync(half, file.type === 'chunk' ? file.code : file.source);
    renameSync(half, join(output, file.fileName));
  }
}

/** Chunks of earlier bundles go when no run can still be loading them. */
function prune(): void {
  for (const name of readdirSync(output, { encoding: 'utf8', recursive: true })) {
    const file = join(output, name);
    const found = statSync(file, { throwIfNoEntry: false });
    const isOld = found?.isFile() === true && Date.now() - found.mtimeMs > 600_000;
    if (isOld && !programs.has(name.replace(/\.mjs$/, ''))) rmSync(file, { force: true });
  }
}
