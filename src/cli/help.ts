/** Renders `mooring --help`, and the help of a command or of a family of commands. */
import { globalOptions } from './arguments.ts';
import { columnLines, columns, hanging, type Row, widthOfText, wrap } from './columns.ts';
import type { CliCommand, CommandContext, Option, Options } from './command.ts';
import { type CommandEntry, groups } from './commands.ts';
import { exitMeanings } from './exit-codes.ts';

export function helpOfAll(by: CommandContext): string {
  // Lays out all groups as one table, so that their columns align.
  const all = groups.flatMap(({ commands }) => commands);
  const lines = columnLines(
    all.map(({ name, summary }) => [name, summary]),
    by.shell.stdout,
  );
  return [
    'Build, run, call and debug MCP servers.',
    titled(by, 'Usage', ['  mooring <command> [options]']),
    ...groups.map(({ title, commands }) =>
      titled(
        by,
        title,
        commands.flatMap((one) => lines[all.indexOf(one)] ?? []),
      ),
    ),
    rowsOf(by, 'Targets', TARGETS),
    rowsOf(
      by,
      'Exit codes',
      [...exitMeanings].map(([code, meaning]) => [String(code), meaning]),
    ),
    wrapped('Run `mooring <command> --help` for details, `mooring --version` for the version.', by),
    wrapped(
      'Documentation: mooring/docs/README.md in the folder that `npm root` prints (`npm root -g` if installed globally).',
      by,
    ),
  ].join('\n\n');
}

/** For a first word that is not a command itself, such as `skills`. */
export function helpOfFamily(family: readonly CommandEntry[], by: CommandContext): string {
  const rows = family.map(({ name, summary }): Row => [name, summary]);
  return [rowsOf(by, 'Commands', rows), wrapped('Run `mooring <command> --help` for details.', by)].join('\n\n');
}

export function helpOf(command: CliCommand, by: CommandContext): string {
  const { name, usage, about, exits = [], examples } = command;
  const forms = usage.flatMap((form) => indented(`mooring ${name} ${form}`.trimEnd(), by));
  const parts = [
    ...about.split('\n\n').map((paragraph) => paragraphOf(paragraph, by)),
    titled(by, 'Usage', forms),
    rowsOf(by, 'Options', optionRows({ ...command.options, ...globalOptions })),
  ];
  const codes = exits.map(([code, meaning]): Row => [String(code), meaning]);
  const others = exits.length > 0 ? 'The others are in `mooring --help`.' : 'See `mooring --help`.';
  parts.push(titled(by, 'Exit codes', [...columns(codes, by.shell.stdout), ...indented(others, by)]));
  if (usage.some((form) => form.includes('<target>'))) parts.push(rowsOf(by, 'Targets', TARGETS));
  const lines = examples.flatMap(([line, what]) => indented(what === undefined ? line : `${line}  # ${what}`, by));
  return [...parts, titled(by, 'Examples', lines)].join('\n\n');
}

const TARGETS: readonly Row[] = [
  ['https://…', 'a URL'],
  ['./server.ts', 'a module that exports a server'],
  ['shop', 'a configured server (see `mooring servers`)'],
  ['… -- node server.js', 'a command that starts a server; always last'],
];

const titled = ({ print }: CommandContext, title: string, lines: readonly string[]): string =>
  [print.style('bold', title), ...lines].join('\n');

const rowsOf = (by: CommandContext, title: string, rows: readonly Row[]): string =>
  titled(by, title, columns(rows, by.shell.stdout));

const wrapped = (text: string, { shell }: CommandContext): string => wrap(text, widthOfText(shell.stdout)).join('\n');

const indented = (text: string, { shell }: CommandContext): string[] => hanging(text, shell.stdout);

function paragraphOf(text: string, by: CommandContext): string {
  const lines = text.split('\n');
  const rows = lines.flatMap((line): Row[] => {
    const [, name, about] = /^ {2}(\S.*?) {2,}(.*)$/.exec(line) ?? [];
    return name === undefined || about === undefined ? [] : [[name, about]];
  });
  if (rows.length === 0) return wrapped(text, by);
  const prose = lines.filter((line) => !line.startsWith('  ')).join(' ');
  return [wrapped(prose, by), ...columns(rows, by.shell.stdout)].join('\n');
}

function optionRows(options: Options): Row[] {
  return Object.entries(options).map(([name, option]) => [
    `${option.short === undefined ? '' : `-${option.short}, `}--${name}${valueWord(option)}`,
    option.about,
  ]);
}

function valueWord({ type, value = 'value', optional }: Option): string {
  if (type === 'boolean') return '';
  return optional === undefined ? ` <${value}>` : ` [${value}]`;
}
