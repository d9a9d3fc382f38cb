/** `/explain`: which rule decided something, on which facts, who agreed, and what came of it. */
import type { AuditRecord } from '../../../host/index.ts';
import { printable } from '../../../model/printable.ts';
import { badArgument, rejectExtra } from '../../arguments.ts';
import { table } from '../../columns.ts';
import type { Printer } from '../../printer.ts';
import type { SlashCommand } from '../chat.ts';
import { shorten } from '../shorten.ts';

export const explain: SlashCommand = {
  name: 'explain',
  usage: '[act]',
  about: 'Who allowed or denied something, and why; without a number, the last',
  async run([named, ...more], { host, acts, screen }) {
    rejectExtra(more);
    if (named === undefined && acts.last === 0) throw badArgument('/explain', 'nothing has been done yet');
    const id = acts.idOf(named ?? String(acts.last));
    const records = id === undefined ? [] : await host.explain(id);
    const [first] = records;
    if (id === undefined || first === undefined)
      throw badArgument(`/explain ${named ?? ''}`.trim(), `there is no such act; they are numbered 1 to ${acts.count}`);
    const title = `act ${acts.numberOf(id) ?? id}: ${first.act.kind} ${shorten(first.act.name, 80)} of ${first.act.server}`;
    screen.result({ type: 'explained', act: id, records }, [
      screen.print.style('bold', title),
      ...table(factsOf(first, records)).map(printable),
      ...endOf(first, records.at(-1) ?? first, screen.print),
    ]);
  },
};

function factsOf({ act, decision, consent, approval, id }: AuditRecord, records: readonly AuditRecord[]): string[][] {
  const { effects, claimed, assumed } = act;
  const said = assumed ? 'does not say; treated as' : 'says';
  return [
    ['for', act.principal === '' ? 'the host itself' : act.principal],
    ['sent', shorten(JSON.stringify(records.at(-1)?.act.arguments ?? {}))],
    ['effects', effects === claimed ? effects : `${effects}; the server ${said} ${claimed}`],
    ['rule', `${decision.rule}`],
    ['because', decision.why],
    ...(consent === undefined ? [] : [['you said', saidText(consent)]]),
    ...(approval === undefined ? [] : [['you said', 'yes, earlier; /approvals lists what is remembered']]),
    ['id', id],
  ];
}

const saidText = ({ allow, edited, reason }: NonNullable<AuditRecord['consent']>): string =>
  `${allow ? 'yes' : 'no'}${edited ? ', with other arguments' : ''}${reason === undefined ? '' : ` (${reason})`}`;

function endOf(first: AuditRecord, last: AuditRecord, print: Printer): readonly string[] {
  if (!first.allowed) return [`  ${print.style('red', 'It did not happen.')}`];
  if (last.phase === 'decided') return [`  ${print.style('yellow', 'It is under way, or was never finished.')}`];
  if (last.phase === 'working') return [`  ${print.style('yellow', 'It works on as a task, or was never finished.')}`];
  const colour = last.phase === 'done' ? 'green' : 'red';
  return [`  ${print.style(colour, last.phase)}: ${printable(last.outcome ?? '')}, after ${last.at - first.at} ms`];
}
