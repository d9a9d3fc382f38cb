/** Looks up a secret: in a folder, an environment variable, or the output of a command. */
import { join } from 'node:path';
import { FileFault } from '../../files/file-fault.ts';
import { readFileText } from '../../files/read-file.ts';
import type { FileEntry } from './gateway-file.ts';

const MAX_BYTES = 65_536;

/** Runs a command and returns its output without the trailing newline. Throws an `Error`. */
export type RunSecretCommand = (command: readonly string[]) => Promise<string>;

export interface SecretLookup extends FileEntry<'secrets'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly run: RunSecretCommand;
}

/** Throws an `Error` that lists the places that were searched. */
export async function findSecret(name: string, { folder, command, env, run }: SecretLookup): Promise<string> {
  // A plain file name, so that no secret name can leave the folder.
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}$/.test(name))
    throw new Error('the name of a secret has letters, digits, dots, - and _ only');
  const file = folder === undefined ? undefined : join(folder, name);
  if (file !== undefined) {
    const found = await readFileText(file, { maxBytes: MAX_BYTES }).catch((thrown: unknown) => {
      throw new Error(`${file} cannot be read: ${thrown instanceof FileFault ? thrown.why : String(thrown)}`);
    });
    if (found !== undefined) return found.replace(/\r?\n$/, '');
  }
  const variable = name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  const value = env[variable];
  if (value !== undefined && value !== '') return value;
  if (command !== undefined) return run([...command, name]);
  const places = [...(file === undefined ? [] : [`no file ${file}`]), `no variable ${variable}`];
  throw new Error(`unknown secret "${name}": ${places.join(' and ')}; add ${places.length > 1 ? 'one of them' : 'it'}`);
}
