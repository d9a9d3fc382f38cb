/** `/approvals`: what is not asked about again, and taking that back. */
import { printable } from '../../../model/printable.ts';
import { badArgument, rejectExtra } from '../../arguments.ts';
import { table } from '../../columns.ts';
import type { SlashCommand } from '../chat.ts';

export const approvals: SlashCommand = {
  name: 'approvals',
  usage: '[forget <number>]',
  about: 'What you agreed to for the whole session, and taking it back',
  async run([verb, number = '', ...more], { host, screen }) {
    rejectExtra(more);
    if (verb !== undefined && verb !== 'forget') throw badArgument(verb, 'expected nothing, or forget <number>');
    const known = await host.approvals.list();
    const [forgotten] = verb === undefined ? [] : [known[Number(number) - 1]];
    if (verb !== undefined && forgotten === undefined)
      throw badArgument(
        `forget ${number}`.trim(),
        `expected a number from 1 to ${known.length}; /approvals lists them`,
      );
    if (forgotten !== undefined) await host.approvals.revoke(forgotten.id);
    const left = known.filter((one) => one !== forgotten);
    const rows = left.map(({ server, kind, name, arguments: args, until }, at) => [
      String(at + 1),
      `${kind} ${name} of ${server}`,
      args === undefined ? 'with any arguments' : 'with the same arguments',
      until === undefined ? 'for this session' : `until ${new Date(until).toISOString()}`,
    ]);
    const nothing = ['Nothing is remembered: you are asked every time.'];
    const lines = rows.length === 0 ? nothing : table(rows).map(printable);
    screen.result({ type: 'approvals', approvals: left }, lines);
  },
};
