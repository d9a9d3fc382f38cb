/** Programs of a test as one file each: they start quickly, and take the memory that the package takes. */
import { rolldown } from 'rolldown';

/** The files of `input`, by name, as `<name>.mjs` in a folder inside the project. */
export async function compilePrograms(input: Readonly<Record<string, string>>, folder: string): Promise<void> {
  // The packages of the library itself are where they always are.
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
