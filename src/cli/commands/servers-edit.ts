/** `mooring servers add` and `mooring servers remove`: edit a configuration file. */
import { existsSync } from 'node:fs';
import { type ConfigReport, listsServers, readConfig } from '../../host/index.ts';
import { printable } from '../../model/printable.ts';
import { suggest } from '../../model/suggest.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { command } from '../command.ts';
import { definitionOf, definitionOptions, warnOfSecrets } from '../servers/definition.ts';
import { planEdit, writeEdit } from '../servers/edit.ts';
import { configPlaceIn, placeOptions } from '../servers/place.ts';
import { configuredServers } from '../target/target.ts';

export const serversAdd = command('servers add', {
  usage: [
    '<name> <url> [--header <name: value>]',
    '<name> <module>',
    '<name> [--env <NAME=value>] -- <command> [argument …]',
  ],
  about: `Add a server to a configuration file.

The file is .mcp.json of this project unless you name another one. Everything else in the file stays as it is, with its comments. A module is written as a command that works in every copy of the project. A reference such as \${env:TOKEN} is written as typed and resolved when the server starts; quote it.`,
  options: { ...placeOptions, ...definitionOptions },
  examples: [
    ['mooring servers add docs https://example.com/mcp'],
    ['mooring servers add files -- npx -y @modelcontextprotocol/server-filesystem .'],
    [`mooring servers add shop https://example.com/mcp --header 'Authorization: Bearer \${env:SHOP_TOKEN}'`],
    ['mooring servers add files --app cursor -- npx -y server-files'],
  ],
  async run(input) {
    const { shell, print } = input;
    const [name, ...rest] = input.words;
    if (name === undefined || name.trim() === '') throw badArgument('<name>', 'expected a name for the server');
    const place = configPlaceIn(input);
    const change = await definitionOf({ ...input, words: rest }, place);
    const { before, ...planned } = await planEdit(place.file, [[name, change]]);
    if (before !== undefined) await checkFree(name, planned.file);
    warnOfSecrets(change, place, print);
    await writeEdit({ before, ...planned }, shell.clock);
    print.data({ added: name, file: planned.file });
    print.line(`"${name}" is in ${planned.file} now. Check the connection with \`mooring servers --status\`.`);
  },
});

async function checkFree(name: string, file: string): Promise<void> {
  const { servers, left } = await readConfig(...((await listsServers(file)) ? [file] : []));
  const places = [...Object.values(servers).flatMap(({ from }) => (from === undefined ? [] : [from])), ...left];
  const taken = places.find((one) => one.name === name);
  if (taken !== undefined)
    throw badArgument(
      name,
      `${taken.file}, line ${taken.line}, has a server with this name already; remove that server, or choose another name`,
    );
}

export const serversRemove = command('servers remove', {
  usage: ['<server>'],
  about: `Remove a server from the configuration file that defines it.

If several files define a server of this name, choose one with --file or --app. Everything else in the file stays as it is.`,
  options: placeOptions,
  examples: [['mooring servers remove docs'], ['mooring servers remove docs --file .vscode/mcp.json']],
  async run(input) {
    const { values, shell, print } = input;
    const name = onlyWord(input, '<server>', 'the name of a server; `mooring servers` lists them');
    const named = values.app !== undefined || values.file !== undefined;
    const { file } = configPlaceIn(input);
    if (named && !existsSync(file)) throw badArgument(name, `file not found (${file})`);
    const found = entriesNamed(name, named ? await readConfig(file) : await configuredServers({ values: {}, shell }));
    const [only] = found;
    if (found.length > 1) {
      const places = found.map((one) => `\n  ${one.file}, line ${one.line}`).join('');
      throw badArgument(name, `several files define a server with this name; choose one with --file${places}`);
    }
    const planned = await planEdit(only.file, [[only.name, 'remove']]);
    await writeEdit(planned, shell.clock);
    print.data({ removed: only.name, file: planned.file });
    print.line(`"${printable(only.name)}" is no longer in ${planned.file}`);
  },
});

interface RemovedPlace {
  readonly file: string;
  readonly line: number;
  /** The key in the file, which can differ from the label. */
  readonly name: string;
}

/** Finds entries by the name in the file; if there are none, by the label. */
function entriesNamed(
  name: string,
  { servers, left, faults }: ConfigReport,
): readonly [RemovedPlace, ...RemovedPlace[]] {
  const labelled = Object.entries(servers).flatMap(([label, { from }]) =>
    from === undefined ? [] : [{ label, ...from }],
  );
  const all = [...labelled, ...left.map((one) => ({ label: one.name, ...one }))];
  const byName = all.filter((one) => one.name === name);
  const [first, ...more] = byName.length > 0 ? byName : all.filter(({ label }) => label === name);
  if (first !== undefined) return [first, ...more];
  // The invalid entry of a file can be the one that was named.
  const [fault] = faults;
  if (fault !== undefined) throw fault;
  const names = all.map((one) => one.name);
  throw badArgument(name, `no configured server has this name; ${suggest(name, names)}`);
}
