/** `mooring servers`: lists configured servers, their files, and with --status whether they respond. */
import { printable, printableLines } from '../../model/printable.ts';
import { widthOf, wrapLine } from '../../terminal/wrap-line.ts';
import { rejectWords } from '../arguments.ts';
import { table } from '../columns.ts';
import { command, flag } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { shortPath } from '../paths.ts';
import type { Printer } from '../printer.ts';
import { configPlaces } from '../servers/known-applications.ts';
import { rowsOf, type ServerRow, withStatus } from '../servers/listing.ts';
import type { Shell } from '../shell.ts';
import { targetOptions } from '../target/options.ts';
import { configuredServers } from '../target/target.ts';

const { config, timeout, yes, verbose } = targetOptions;

export const serversCommand = command('servers', {
  usage: [
    '[--status]',
    'add <name> <url>',
    'add <name> -- <command> [argument …]',
    'remove <server>',
    'import <file | application>',
  ],
  about: `List configured servers and the files that define them.

Servers come from this project and from the applications on this machine. Use their names as targets of other commands.`,
  exits: [
    [0, 'every server was listed, and with --status reached'],
    [1, 'with --status: a server could not be reached'],
  ],
  options: {
    status: flag('Connect to each server and print whether it responds'),
    config,
    timeout: { ...timeout, about: 'With --status: give up on a server after this time (default: 10)' },
    yes,
    verbose,
  },
  examples: [
    ['mooring servers'],
    ['mooring servers --status --yes', 'connect to each of them'],
    ['mooring servers --config .vscode/mcp.json --json'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    rejectWords(input);
    const report = await configuredServers(input);
    const listed = rowsOf(report);
    const rows = values.status === true ? await withStatus(listed, report, input) : listed;
    const faults = report.faults.map(({ details }) => details);
    print.result({ servers: rows, faults, notes: report.notes }, rowLines(rows, print, shell));
    if (rows.length === 0 && faults.length === 0) {
      const places = new Set(configPlaces(shell).map(({ file }) => `  ${shortPath(file, shell)}`));
      print.line(['No server is configured. These files were looked for:', ...places].join('\n'));
      print.line('Add one with `mooring servers add <name> <url>`.');
    }
    for (const note of report.notes) print.note(printable(note));
    for (const { message } of report.faults)
      print.note(`${print.style('red', 'error', 'stderr')} ${printable(message)}`);
    if (faults.length > 0) return exitCodes.usage;
    return rows.some(({ state }) => state === 'failed') ? exitCodes.no : undefined;
  },
});

const colors = { on: 'dim', off: 'dim', ready: 'green', failed: 'red' } as const;

/** One line per server. If one is wider than the terminal, commands and files go below the names, unbroken. */
function rowLines(rows: readonly ServerRow[], print: Printer, shell: Shell): readonly string[] {
  const { isTTY, columns = 0 } = shell.stdout;
  const placeOf = ({ file, line }: Pick<ServerRow, 'file' | 'line'>): string =>
    `${printable(shortPath(file, shell))}:${line}`;
  const cells = rows.map((row) => [printable(row.name), row.state, printable(row.what), placeOf(row)]);
  const whole = table(cells, '');
  const isWide = isTTY === true && columns > 0 && whole.some((line) => widthOf(line) > columns);
  const heads = isWide
    ? table(
        cells.map((row) => row.slice(0, 2)),
        '',
      )
    : whole;
  return heads.flatMap((head, at) => {
    const { state = 'on', detail = '', also = [] } = rows[at] ?? {};
    // Colored after the table is laid out: escape sequences would count as width.
    const line = `${head} `.replace(` ${state} `, ` ${print.style(colors[state], state)} `).trimEnd();
    const below = [
      ...(isWide ? (cells[at] ?? []).slice(2) : []),
      ...also.map((one) => `also ${placeOf(one)}`),
      ...printableLines(detail).split('\n'),
    ].filter((text) => text !== '');
    return [line, ...below.flatMap((text) => wrapLine(`    ${text}`, isTTY === true ? columns : 0))];
  });
}
