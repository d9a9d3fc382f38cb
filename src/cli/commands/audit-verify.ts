/** `mooring audit verify`: whether an audit is as it was written. */
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
  about: `Reads an audit log and names the first line that was changed, moved or left out. Each record has the hash of the one
before it. A chain without a key can be rebuilt by anyone who can write the file, and the end can be cut off: a checkpoint
shows both. Keep what this command prints with --json somewhere else, and pass it the next time. An audit log that was
written with a key is verified with the same key in MOORING_AUDIT_KEY.`,
  options: {
    checkpoint: {
      type: 'string',
      value: 'n:hash | file',
      about:
        'What the audit was earlier: the number and the hash of its last record, or a file that --json was written to',
    },
  },
  examples: [
    ['mooring audit verify audit.ndjson', 'exit code 0 if it is as it was written, 1 if not'],
    ['mooring audit verify audit.ndjson --json > checkpoint.json', 'remember how far it goes'],
    ['mooring audit verify audit.ndjson --checkpoint checkpoint.json', 'whether all of that is still there'],
  ],
  async run({ words, after, values }, { shell, print }: CommandContext) {
    const [file, ...rest] = words;
    if (file === undefined) throw badArgument('<file>', 'it is missing: name the file of an audit');
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
        `${print.style('red', 'not as it was written')}: ${path}, line ${verdict.line}: ${printable(verdict.why)}`,
      );
      return exitCodes.no;
    }
    const { n, hash } = verdict.at;
    print.line(`${print.style('green', 'as it was written')}: ${n} ${n === 1 ? 'record' : 'records'}`);
    print.line(`checkpoint ${n}:${hash}`);
    return undefined;
  },
});

async function checkFile(path: string, given: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return;
  throw badArgument(given, found === undefined ? `there is no such file (${path})` : `it is no file (${path})`);
}
