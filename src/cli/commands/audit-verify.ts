/** `mooring audit verify`: checks an audit log for tampering. */
import { readFileText } from '../../files/read-file.ts';
import { type Checkpoint, verifyAudit } from '../../host/index.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { parseObject } from '../../jsonrpc/read.ts';
import { printable } from '../../model/printable.ts';
import { untilAborted } from '../../peer/wait.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { command, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { auditKey } from '../host/gate-settings.ts';
import { existingFile, pathFrom } from '../paths.ts';
import { countOf } from '../printer.ts';
import type { Shell } from '../shell.ts';

export const auditVerify = command('audit verify', {
  usage: ['<file> [--checkpoint <n:hash | file>]'],
  about: `Check an audit log for tampering.

Each record holds the hash of the record before it, so the first record that was changed, moved or removed is named. Without a key, anyone who can write the file can rebuild the chain or cut off its end. A checkpoint reveals both: keep the output of --json elsewhere, and pass it the next time. If the log was written with a key, set MOORING_AUDIT_KEY to the same key.`,
  exits: [
    [0, 'no tampering found'],
    [1, 'the log was changed; the first invalid record is named'],
  ],
  options: {
    checkpoint: withValue(
      'n:hash | file',
      'An earlier state: number and hash of the last record, or a file with the output of --json',
    ),
  },
  examples: [
    ['mooring audit verify audit.ndjson'],
    ['mooring audit verify audit.ndjson --json > checkpoint.json'],
    ['mooring audit verify audit.ndjson --checkpoint checkpoint.json'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const file = onlyWord(input, '<file>', 'an audit log');
    const checkpoint = values.checkpoint === undefined ? undefined : await checkpointIn(values.checkpoint, shell);
    const path = existingFile(shell, file);
    const verdict = await untilAborted(verifyAudit(path, { checkpoint, key: auditKey(shell) }), shell.signal).catch(
      (error: unknown) => {
        // Otherwise the process reads the rest of the log before it ends.
        if (shell.signal.aborted) shell.leave?.();
        throw error;
      },
    );
    print.data({ file: path, ...verdict });
    if (!verdict.ok) {
      print.line(
        `${print.style('red', 'verification failed')}: ${path}, line ${verdict.line}: ${printable(verdict.why)}`,
      );
      return exitCodes.no;
    }
    const { n, hash } = verdict.at;
    print.line(`${print.style('green', 'verified')}: ${countOf(n, 'record')}`);
    print.line(`checkpoint ${n}:${hash}`);
    return undefined;
  },
});

/** Limit for the file of `--checkpoint`. */
const MAX_BYTES = 65_536;

/** Parses `--checkpoint`: `12:9f86…`, or a file with the output of `--json`. */
async function checkpointIn(given: string, shell: Shell): Promise<Checkpoint> {
  const [, n, hash] = /^(\d+):([0-9a-f]{64})$/.exec(given) ?? [];
  if (n !== undefined && hash !== undefined) return { n: Number(n), hash };
  const path = pathFrom(shell, given);
  const text = await readFileText(path, { maxBytes: MAX_BYTES }).catch(() => undefined);
  if (text === undefined)
    throw badArgument(`--checkpoint ${given}`, `expected <number>:<64 hex digits>, or a file (not found: ${path})`);
  const found = checkpointOf(parseObject(text));
  if (found === undefined)
    throw badArgument(`--checkpoint ${given}`, 'expected JSON with "n" and "hash", as --json prints it under "at"');
  return found;
}

function checkpointOf(value: JsonObject = {}): Checkpoint | undefined {
  const { n, hash } = isObject(value['at']) ? value['at'] : value;
  return typeof n === 'number' && typeof hash === 'string' ? { n, hash } : undefined;
}
