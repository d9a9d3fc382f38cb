/** Runs once before the tests: compiles each server, so that a child starts without a loader. */
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));

export async function setup(): Promise<void> {
  rmSync(`${here}.cache`, { recursive: true, force: true });
  const theirs = readdirSync(`${here}servers`).map((file) => `servers/${file}`);
  await Promise.all([
    // Ours with its dependencies, which are at the root; only the peers are installed here.
    bundle({ input: 'our-server.ts', external: [] }),
    // Theirs as published, with only the types stripped.
    ...theirs.map((input) => bundle({ input, external: [/^[\w@]/] })),
  ]);
}

async function bundle({ input, external }: { input: string; external: RegExp[] }): Promise<void> {
  await build({
    input: `${here}${input}`,
    cwd: here,
    platform: 'node',
    external,
    transform: { target: 'node20' },
    output: {
      dir: `${here}.cache/${input.replace(/[^/]+$/, '')}`,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
    logLevel: 'warn',
  });
}

/** The path of a compiled server. */
export const program = (name: string): string => `${here}.cache/${name}.mjs`;
