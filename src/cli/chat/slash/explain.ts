/** `/explain`: who allowed or denied an act, and why. `/approvals`: the approvals of this session, and revoking them. */
import type { AuditRecord } from '../../../host/index.ts';
import { printable } from '../../../model/printable.ts';
import { badArgument, rejectExtra } from '../../arguments.ts';
import { table } from '../../columns.ts';
import type { Printer } from '../../printer.ts';
import type { SlashCommand } from '../chat.ts';
import { shorten } from '../shorten.ts';

export const explainSlash: SlashCommand = {
  name: 'explain',
  usage: '[number]',
  about: 'Show who allowed or denied an action, and why (default: the last one)',
  async run([named, ...more], { host, acts, screen }) {
    rejectExtra(more);
    if (named === undefined && acts.last === 0) throw badArgument('/explain', 'there were no actions yet');
    const id = acts.idOf(named ?? String(acts.last));
    const records = id === undefined ? [] : await host.explain(id);
    const [first] = records;
    if (id === undefined || first === undefined)
      throw badArgument(`/explain ${named ?? ''}`.trim(), `unknown action; expected a number from 1 to ${acts.count}`);
    const title = `action ${acts.numberOf(id) ?? id}: ${first.act.kind} ${shorten(first.act.name, 80)} of ${first.act.server}`;
    screen.result({ type: 'explained', act: id, records }, [
      screen.print.style('bold', title),
      ...table(actRows(first, records)).map(printable),
      ...outcomeLines(first, records.at(-1) ?? first, screen.print),
    ]);
  },
};

function actRows({ act, decision, consent, approval, id }: AuditRecord, records: readonly AuditRecord[]): string[][] {
  const { effects, claimed, assumed } = act;
  const said = assumed ? 'does not say; treated as' : 'says';
  return [
    ['for', act.principal === '' ? 'the host itself' : act.principal],
    ['sent', shorten(JSON.stringify(records.at(-1)?.act.arguments ?? {}))],
    ['effects', effects === claimed ? effects : `${effects}; the server ${said} ${claimed}`],
    ['rule', `${decision.rule}`],
    ['because', decision.why],
    ...(consent === undefined ? [] : [['you said', consentText(consent)]]),
    ...(approval === undefined ? [] : [['you said', 'yes, earlier (see /approvals)']]),
    ['id', id],
  ];
}

const consentText = ({ allow, edited, reason }: NonNullable<AuditRecord['consent']>): string =>
  `${allow ? 'yes' : 'no'}${edited ? ', with other arguments' : ''}${reason === undefined ? '' : ` (${reason})`}`;

function outcomeLines(first: AuditRecord, last: AuditRecord, print: Printer): readonly string[] {
  if (!first.allowed) return [`  ${print.style('red', 'Not performed.')}`];
  if (last.phase === 'decided') return [`  ${print.style('yellow', 'Still running, or never finished.')}`];
  if (last.phase === 'working') return [`  ${print.style('yellow', 'Still running as a task, or never finished.')}`];
  const colour = last.phase === 'done' ? 'green' : 'red';
  return [`  ${print.style(colour, last.phase)}: ${printable(last.outcome ?? '')}, after ${last.at - first.at} ms`];
}

export const approvalsSlash: SlashCommand = {
  name: 'approvals',
  usage: '[forget <number>]',
  about: 'List what you approved for the whole session, or revoke one approval',
  async run([verb, number = '', ...more], { host, screen }) {
    rejectExtra(more);
    if (verb !== undefined && verb !== 'forget') throw badArgument(verb, 'expected no argument, or forget <number>');
    const known = await host.approvals.list();
    const [forgotten] = verb === undefined ? [] : [known[Number(number) - 1]];
    if (verb !== undefined && forgotten === undefined)
      throw badArgument(
        `forget ${number}`.trim(),
        known.length === 0
          ? 'there are no approvals to forget'
          : `expected a number from 1 to ${known.length}; /approvals lists them`,
      );
    if (forgotten !== undefined) await host.approvals.revoke(forgotten.id);
    const left = known.filter((one) => one !== forgotten);
    const rows = left.map(({ server, kind, name, arguments: args, until }, at) => [
      String(at + 1),
      `${kind} ${name} of ${server}`,
      args === undefined ? 'with any arguments' : 'with the same arguments',
      until === undefined ? 'for this session' : `until ${new Date(until).toISOString()}`,
    ]);
    const nothing = ['No approvals: you are asked every time.'];
    const lines = rows.length === 0 ? nothing : table(rows).map(printable);
    screen.result({ type: 'approvals', approvals: left }, lines);
  },
};
