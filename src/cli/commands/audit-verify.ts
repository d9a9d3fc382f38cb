/** `mooring audit verify`: whether an audit log was tampered with. */
import { stat } from 'node:fs/promises';
import { verifyAudit } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument, rejectExtra } from '../arguments.ts';
import { checkpointIn } from '../audit/checkpoint.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { auditKey } from '../host/gate-settings.ts';
import { pathFrom } from '../target/target.ts';

export const auditVerify = command({
  usage: ['<file> [--checkpoint <n:hash | file>]'],
  about: `Check an audit log for tampering.

Each record holds the hash of the record before it, so the first record that was changed, moved or removed is named. Without a key, anyone who can write the file can rebuild the chain or cut off its end. A checkpoint reveals both: keep the output of --json elsewhere, and pass it the next time. If the log was written with a key, set MOORING_AUDIT_KEY to the same key.`,
  exits: [
    [0, 'no tampering found'],
    [1, 'the log was changed; the first wrong record is named'],
  ],
  options: {
    checkpoint: {
      type: 'string',
      value: 'n:hash | file',
      about: 'An earlier state: number and hash of the last record, or a file with the output of --json',
    },
  },
  examples: [
    ['mooring audit verify audit.ndjson'],
    ['mooring audit verify audit.ndjson --json > checkpoint.json'],
    ['mooring audit verify audit.ndjson --checkpoint checkpoint.json'],
  ],
  async run({ words, after, values }, { shell, print }: CommandContext) {
    const [file, ...rest] = words;
    if (file === undefined) throw badArgument('<file>', 'expected the file of an audit');
    rejectExtra([...rest, ...(after ?? [])]);
    const checkpoint =
      values.checkpoint === undefined ? undefined : await checkpointIn(values.checkpoint, { shell, print });
    const path = pathFrom(shell, file);
    await checkFile(path, file);
    const verdict = await verifyAudit(path, { checkpoint, key: auditKey(shell) });
    shell.signal.throwIfAborted();
    print.data({ file: path, ...verdict });
    if (!verdict.ok) {
      print.line(
        `${print.style('red', 'verification failed')}: ${path}, line ${verdict.line}: ${printable(verdict.why)}`,
      );
      return exitCodes.no;
    }
    const { n, hash } = verdict.at;
    print.line(`${print.style('green', 'verified')}: ${n} ${n === 1 ? 'record' : 'records'}`);
    print.line(`checkpoint ${n}:${hash}`);
    return undefined;
  },
});

async function checkFile(path: string, given: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return;
  throw badArgument(given, found === undefined ? `there is no such file (${path})` : `it is no file (${path})`);
}
