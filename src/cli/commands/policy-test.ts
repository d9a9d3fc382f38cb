/** `mooring policy test`: replays an audit log against other rules, and shows which decisions would change. */
import { type AuditRecord, type PolicyChange, type Rehearsal, readAudit, rehearse } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { table } from '../columns.ts';
import { type CommandContext, command, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { auditKey, loadPolicy } from '../host/gate-settings.ts';
import { existingFile } from '../paths.ts';
import { countOf, type Printer } from '../printer.ts';

export const policyTest = command('policy test', {
  usage: ['<module> --against <audit.ndjson>'],
  about: `Replay an audit log against other rules, and show which decisions would change.

Nothing is allowed, denied or sent. Use it before you change the policy of a host.`,
  exits: [
    [0, 'no denied action would become allowed'],
    [1, 'at least one denied action would now happen without asking the user'],
  ],
  options: {
    against: withValue('file', 'An audit log written by ndjsonAudit or `mooring chat --audit` (required)'),
  },
  examples: [
    ['mooring policy test ./policy.ts --against audit.ndjson'],
    ['mooring policy test ./policy.js --against audit.ndjson --json'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const module = onlyWord(input, '<module>', 'the path of a module that exports rules');
    if (values.against === undefined) throw badArgument('--against', 'expected an audit log');
    const audit = existingFile(shell, values.against, `--against ${values.against}`);
    const policy = await loadPolicy(module, shell);
    const rehearsal = await rehearse(policy, recordsWithProgress(audit, input));
    const opened = rehearsal.changes.filter(isOpened);
    const data = { audit, rules: policy.map(({ text }) => text), ...rehearsal, opened: total(opened) };
    print.result(data, report(rehearsal, print));
    return opened.length > 0 ? exitCodes.no : undefined;
  },
});

async function* recordsWithProgress(path: string, { shell, print }: CommandContext): AsyncGenerator<AuditRecord> {
  const bar = print.progress('Rehearsing');
  let progress = 0;
  try {
    for await (const record of readAudit(path, { key: auditKey(shell) })) {
      shell.signal.throwIfAborted();
      bar.update({ progress: ++progress });
      yield record;
    }
  } finally {
    bar.end();
  }
}

const isOpened = ({ from, to }: PolicyChange): boolean => from === 'deny' && to === 'allow';
const total = (counted: readonly { readonly count: number }[]): number =>
  counted.reduce((sum, { count }) => sum + count, 0);

function report({ decisions, unchanged, changes, undecidable }: Rehearsal, print: Printer): readonly string[] {
  const lines = [`${decisions} decisions: ${unchanged} unchanged, ${total(changes)} changed`];
  if (decisions === 0) lines.push('The audit log contains no decisions to replay.');
  if (changes.length > 0) {
    const rows = changes.map((change) => [
      String(change.count),
      `${change.from} → ${change.to}`,
      printable(change.rule),
      `such as ${exampleOf(change)}`,
    ]);
    lines.push('', ...table([['times', 'change', 'decided by', ''], ...rows]));
  }
  for (const { why, count, example } of undecidable)
    lines.push(
      '',
      `${count} cannot be replayed: ${printable(why)}, such as ${printable(example.act.name)} (${example.id})`,
    );
  const opened = total(changes.filter(isOpened));
  if (opened > 0)
    lines.push('', print.style('red', `${countOf(opened, 'denied action')} would now happen without asking the user.`));
  return lines;
}

const exampleOf = ({ example: { act, id } }: PolicyChange): string =>
  printable(`${act.kind} ${act.server === '' ? '' : `${act.server}: `}${act.name} (${id})`);
