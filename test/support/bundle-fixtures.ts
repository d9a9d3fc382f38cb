/**
 * Runs once before the tests: bundles the server fixtures, so that child processes start without a TypeScript loader, and
 * extracts the official schemas from their packages.
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
  // For modules that tests write: loading one file is faster than compiling the source.
  ['mooring', 'src/index.ts'],
  ['host', 'src/host/index.ts'],
  // At the same depth as in `src`, because it finds the files of the workbench by relative path.
  ['cli/main', 'src/cli/main.ts'],
]);

/** The only bundles that unit tests start. */
const UNIT: readonly string[] = ['serve', 'cli/main'];

export async function setup({ name: project }: Pick<TestProject, 'name'>): Promise<void> {
  mkdirSync(join(output, 'cli'), { recursive: true });
  const needed = [...programs].filter(([name]) => project !== 'unit' || UNIT.includes(name));
  // One by one: a joint build would share chunks.
  await Promise.all([...needed.map(([name, input]) => bundle(name, input)), writeOfficialShapes()]);
  prune();
}

async function bundle(name: string, input: string): Promise<void> {
  const { output: files } = await build({
    input: join(root, input),
    cwd: root,
    platform: 'node',
    transform: { target: 'node20' },
    // Lazy imports stay chunks, so that a child loads them only when needed.
    output: { format: 'esm', entryFileNames: `${name}.mjs`, chunkFileNames: `${name}-[name]-[hash].mjs` },
    logLevel: 'warn',
    write: false,
  });
  for (const file of files.toReversed()) {
    // Atomic, because another run may be starting children from the same file.
    const half = join(output, `${file.fileName}.${process.pid}`);
    writeFileSync(half, file.type === 'chunk' ? file.code : file.source);
    renameSync(half, join(output, file.fileName));
  }
}

/** Deletes old chunks that no run can still be loading. */
function prune(): void {
  for (const name of readdirSync(output, { encoding: 'utf8', recursive: true })) {
    const file = join(output, name);
    const found = statSync(file, { throwIfNoEntry: false });
    const isOld = found?.isFile() === true && Date.now() - found.mtimeMs > 600_000;
    if (isOld && !programs.has(name.replace(/\.mjs$/, ''))) rmSync(file, { force: true });
  }
}
