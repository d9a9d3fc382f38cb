/** Reads environment variables from a dotenv file: one `NAME=value` per line. */
import { readFileText } from '../../files/read-file.ts';
import { badFile, throwFileError } from '../act/file-error.ts';

/** More than an operating system lets a process have. */
const MAX_BYTES: number = 1024 * 1024;

/** Throws `MCP_HOST_FILE` if the file does not exist or cannot be read. */
export async function readEnvFile(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFileText(path, { maxBytes: MAX_BYTES }).catch(throwFileError(path));
  if (text === undefined) throw badFile(path, 'the file of environment variables does not exist');
  return parseEnvFile(text);
}

/** Later lines win. Lines in other formats are skipped, because such files have comments in many styles. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*)$/.exec(line) ?? [];
    if (name !== undefined && value !== undefined) variables.set(name, unquote(value));
  }
  return variables;
}

function unquote(value: string): string {
  const [, single] = /^'([^']*)'/.exec(value) ?? [];
  if (single !== undefined) return single;
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  if (double === undefined) return value.replace(/\s#.*$/, '').trim();
  return double.replace(/\\([nrt"\\$])/g, (_, char: string) => escapes.get(char) ?? char);
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
