/** Runs once before the tests: turns each server into a plain program, so that a child starts without a loader. */
import { readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const here = fileURLToPath(new URL('.', import.meta.url));

export async function setup(): Promise<void> {
  rmSync(`${here}.cache`, { recursive: true, force: true });
  const theirs = readdirSync(`${here}servers`).map((file) => `servers/${file}`);
  await Promise.all([
    // Ours with everything it needs: its dependencies are at the root, and what is installed here is the peers'.
    bundle({ input: 'our-server.ts', external: [] }),
    // Theirs as they would be run: only the types are taken off.
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

/** The program of a server here, ready to be started. */
export const program = (name: string): string => `${here}.cache/${name}.mjs`;
