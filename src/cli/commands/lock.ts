/** `mooring lock`: shows the definitions in the lock file, and which are not approved. */
import { existsSync } from 'node:fs';
import { readLock } from '../../host/lock/lock-file.ts';
import { printable } from '../../model/printable.ts';
import { badArgument, rejectWords } from '../arguments.ts';
import { table } from '../columns.ts';
import { command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { lockOption, lockPath } from '../lock/targets.ts';

export const lock = command('lock', {
  usage: ['[--lock <file>]', 'check [<target> …]', 'approve <target> [<name> …]'],
  about: `Show pinned tool definitions (mcp.lock).

The lock file holds each definition as it was first seen, and whether you approved it. This command connects to no server; \`mooring lock check\` does.`,
  exits: [
    [0, 'every definition is approved'],
    [1, 'at least one definition is not approved'],
  ],
  options: { lock: lockOption },
  examples: [['mooring lock'], ['mooring lock check'], ['mooring lock approve shop refund']],
  async run(input) {
    const { values, shell, print } = input;
    rejectWords(input);
    const path = lockPath(values.lock, shell);
    if (!existsSync(path))
      throw badArgument(
        values.lock ?? 'mcp.lock',
        `file not found (${path}); create it with \`mooring lock approve <target>\``,
      );
    const changed: string[] = [];
    const pinned = await readLock(path, (warning) => changed.push(warning));
    const servers = [...pinned].map(([server, { address, claims, pins }]) => ({
      server,
      address,
      claims,
      parts: [...pins].map(([id, { approved, hash }]) => ({ part: id.trim(), approved, hash })),
    }));
    print.data({ file: path, servers, changed });
    for (const { server, address, claims, parts } of servers) {
      print.line(
        `${print.style('bold', printable(server))}  ${printable(address)}  (server name: ${printable(claims)})`,
      );
      const rows = parts.map(({ part, approved, hash }) => [
        approved ? 'approved' : 'new',
        hash.slice(0, 12),
        printable(part),
      ]);
      for (const line of table(rows)) print.line(line.replace(/^ {2}new/, (text) => print.style('yellow', text)));
    }
    if (servers.length === 0) print.line('The lock is empty.');
    for (const warning of changed) print.note(`${print.style('yellow', 'warning', 'stderr')} ${printable(warning)}`);
    const hasUnapproved = servers.some(({ parts }) => parts.some(({ approved }) => !approved));
    return hasUnapproved || changed.length > 0 ? exitCodes.no : undefined;
  },
});
