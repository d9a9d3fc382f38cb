/** `mooring servers add`: one more server in a configuration file. */
import { listsServers, readConfig } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import { command } from '../command.ts';
import { definitionOf, definitionOptions, warnOfSecrets } from '../servers/definition.ts';
import { carryOut, edit } from '../servers/edit.ts';
import { configPlaceIn, placeOptions } from '../servers/place.ts';

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
    const { before, ...planned } = await edit(place.file, [[name, change]]);
    if (before !== undefined) await checkFree(name, planned.file);
    warnOfSecrets(change, place, print);
    await carryOut({ before, ...planned }, shell.clock);
    print.data({ added: name, file: planned.file });
    print.line(`"${name}" is in ${planned.file} now; \`mooring servers --status\` says whether it can be reached`);
  },
});

async function checkFree(name: string, file: string): Promise<void> {
  const { servers, left } = await readConfig(...((await listsServers(file)) ? [file] : []));
  const places = [...Object.values(servers).flatMap(({ from }) => (from === undefined ? [] : [from])), ...left];
  const taken = places.find((one) => one.name === name);
  if (taken !== undefined)
    throw badArgument(
      name,
      `${taken.file}, line ${taken.line}, has a server of that name; remove it, or choose another`,
    );
}
