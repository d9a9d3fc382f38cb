/** Where an audit had got to earlier, as it is typed: `12:9f86…`, or a file that holds it. */

import { readFileText } from '../../files/read-file.ts';
import type { Checkpoint } from '../../host/index.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { badArgument } from '../arguments.ts';
import type { CommandContext } from '../command.ts';
import { pathFrom } from '../target/target.ts';

/** A checkpoint with whatever `--json` prints around it. */
const MAX_BYTES = 65_536;

export async function checkpointIn(given: string, { shell }: CommandContext): Promise<Checkpoint> {
  const [, n, hash] = /^(\d+):([0-9a-f]{64})$/.exec(given) ?? [];
  if (n !== undefined && hash !== undefined) return { n: Number(n), hash };
  const path = pathFrom(shell, given);
  const text = await readFileText(path, { maxBytes: MAX_BYTES }).catch(() => undefined);
  if (text === undefined)
    throw badArgument(`--checkpoint ${given}`, `it is neither <number>:<64 hex digits> nor a file (${path})`);
  const found = checkpointOf(parsed(text));
  if (found === undefined)
    throw badArgument(`--checkpoint ${given}`, 'expected JSON with "n" and "hash", as --json prints it under "at"');
  return found;
}

function checkpointOf(value: unknown): Checkpoint | undefined {
  if (!isObject(value)) return undefined;
  const { n, hash } = isObject(value['at']) ? value['at'] : value;
  return typeof n === 'number' && typeof hash === 'string' ? { n, hash } : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
