/** Bundles programs of a test as one file each, so that they start quickly. */
import { rolldown } from 'rolldown';

/** Writes each program as `<name>.mjs` to a folder in the project. */
export async function compilePrograms(input: Readonly<Record<string, string>>, folder: string): Promise<void> {
  // Packages of the library stay external.
  const external = [
    /^node:/,
    'ajv',
    /^ajv\//,
    '@cfworker/json-schema',
    'cross-spawn',
    'jose',
    'smol-toml',
    /^undici/,
    'yaml',
  ];
  const bundle = await rolldown({ input: { ...input }, platform: 'node', external, logLevel: 'silent' });
  await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await bundle.close();
}
