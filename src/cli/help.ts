/** The help: of everything, and of one command. */
import { everywhere } from './arguments.ts';
import type { NamedCommand, Option, Options } from './command.ts';
import { groups } from './commands.ts';
import { type Printer, table } from './printer.ts';

export function helpOfAll(print: Printer): string {
  const listed = groups.map(({ title, commands }) =>
    [print.style('bold', title), ...table(commands.map(({ name, summary }) => [name, summary]))].join('\n'),
  );
  return [
    'mooring: the Model Context Protocol on the command line.',
    `${print.style('bold', 'Usage')}\n  mooring <command> [options]`,
    ...listed,
    `${print.style('bold', 'Targets')}\n${TARGETS}`,
    'mooring <command> --help tells more. mooring --version says which one this is.\n' +
      'Documentation: docs/README.md in the folder of this package (`npm root`, or `npm root --global`, and there mooring/docs).',
  ].join('\n\n');
}

export function helpOf(command: NamedCommand, print: Printer): string {
  const { name, usage, about, examples } = command;
  const options: Options = { ...command.options, ...everywhere };
  const parts = [
    about,
    `${print.style('bold', 'Usage')}\n${usage.map((form) => `  mooring ${name} ${form}`.trimEnd()).join('\n')}`,
    `${print.style('bold', 'Options')}\n${table(optionRows(options)).join('\n')}`,
  ];
  if (usage.some((form) => form.includes('<target>'))) parts.push(`${print.style('bold', 'Targets')}\n${TARGETS}`);
  if (examples.length > 0)
    parts.push(
      `${print.style('bold', 'Examples')}\n${table(examples.map(([line, what]) => [line, `# ${what}`])).join('\n')}`,
    );
  return parts.join('\n\n');
}

const TARGETS: string = table([
  ['https://…', 'the address of a server'],
  ['… -- node server.js', 'a command that starts one, after everything else'],
  ['./server.ts', 'a module that exports one'],
  ['name', 'a server of a configuration file: `mooring servers` lists them'],
]).join('\n');

function optionRows(options: Options): (readonly [string, string])[] {
  return Object.entries(options).map(([name, option]) => [
    `${option.short === undefined ? '' : `-${option.short}, `}--${name}${valueWord(option)}`,
    option.about,
  ]);
}

function valueWord({ type, value = 'value', optional }: Option): string {
  if (type === 'boolean') return '';
  return optional === undefined ? ` <${value}>` : ` [${value}]`;
}
