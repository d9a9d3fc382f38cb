/** Runs once before the tests: bundles the server fixture, so that a real child process starts without a TypeScript loader. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const root = fileURLToPath(new URL('../../', import.meta.url));
const input = join(root, 'test/fixtures/serve.ts');
const output = join(root, '.cache/fixtures');

export async function setup(): Promise<void> {
  if (!existsSync(input)) return;
  const bundle = await build({
    input,
    cwd: root,
    platform: 'node',
    transform: { target: 'node20' },
    // What the source imports lazily stays a chunk of its own, so that it costs a child nothing until it is needed.
    output: { format: 'esm', entryFileNames: 'serve.mjs', chunkFileNames: 'serve-[name]-[hash].mjs' },
    logLevel: 'warn',
    write: false,
  });
  mkdirSync(output, { recursive: true });
  for (const file of bundle.output.toReversed()) {
    // Another run may be starting children from the same file: it sees the old bundle or the new one, never half of one.
    const half = join(output, `${file.fileName}.${process.pid}`);
    writeFileSync(half, file.type === 'chunk' ? file.code : file.source);
    renameSync(half, join(output, file.fileName));
  }
  prune();
}

/** Chunks of earlier bundles go when no run can still be loading them. */
function prune(): void {
  for (const name of readdirSync(output)) {
    const file = join(output, name);
    const made = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (name !== 'serve.mjs' && Date.now() - made > 600_000) rmSync(file, { force: true });
  }
}
