/** `mooring install`: a server for an application that people use. */
import type { ConfigChange } from '../../host/index.ts';
import { badArgument } from '../arguments.ts';
import { confirmOnTerminal } from '../ask.ts';
import { type CommandContext, command } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { commandsOnly, restarts } from '../install/applications.ts';
import { nameFor } from '../install/name.ts';
import { toPortableCommand } from '../install/portable.ts';
import { projectCommand } from '../install/project-command.ts';
import { type Printer, sanitize } from '../printer.ts';
import { definitionOf, definitionOptions, warnOfSecrets } from '../servers/definition.ts';
import { backUp, carryOut, diffOf, edit, type FileEdit } from '../servers/edit.ts';
import { placeOf } from '../servers/place.ts';
import { canAsk, type Shell } from '../shell.ts';
import type { ConfigPlace } from '../target/config-places.ts';
import { pathFrom } from '../target/target.ts';

export const install = command({
  usage: ['<url | module> --app <application>', '--app <application> [options] -- <command> [argument …]'],
  about: `Add a server to the configuration of an application.

Install shows the change first, and keeps a copy of the file. Commands and modules are written with absolute paths, so that the application finds them. With --project they are written relative to the project, so that you can commit the file.`,
  options: {
    app: {
      type: 'string',
      value: 'application',
      about: 'claude-desktop, claude-code, vscode, cursor, windsurf or zed',
    },
    project: { type: 'boolean', about: "Write the application's file in this project, not the user's file" },
    name: {
      type: 'string',
      value: 'name',
      about: 'Name of the server (default: after its package, file, folder or host)',
    },
    ...definitionOptions,
    'dry-run': { type: 'boolean', about: 'Show the change, and write nothing' },
    yes: { type: 'boolean', short: 'y', about: 'Write without asking' },
  },
  examples: [
    ['mooring install ./server.ts --app claude-desktop'],
    ['mooring install https://example.com/mcp --app vscode --project'],
    ['mooring install --app cursor --name files -- npx -y @modelcontextprotocol/server-filesystem .'],
    ['mooring install ./server.ts --app zed --dry-run'],
  ],
  async run({ words, after, values }, { shell, print }: CommandContext) {
    const { app } = values;
    if (app === undefined)
      throw badArgument('--app', 'it is missing: say for which application, such as claude-desktop');
    const place = placeOf(app, { project: values.project === true }, shell);
    const typed = await definitionOf({ values, words, after }, shell, place);
    const refusal = typeof typed.url === 'string' ? commandsOnly.get(app) : undefined;
    if (refusal !== undefined) throw badArgument(`--app ${app}`, refusal);
    const change = place.scope === 'user' ? toPortableCommand(typed, shell) : shared(typed, place, { after, shell });
    // A file called server.ts is named after the folder that it is in.
    const named = words.map((word) => (/^https?:/i.test(word) ? word : pathFrom(shell, word)));
    const name = values.name ?? nameFor(after ?? named);
    if (name.trim() === '') throw badArgument('--name', 'expected a name');
    const planned = await edit(place.file, [[name, change]]);
    const told = { app, name, file: planned.file, diff: diffOf(planned).join('\n'), restart: restarts.get(app) };
    warnOfSecrets(change, place, print);
    if (values['dry-run'] === true || planned.after === planned.before) {
      print.data({ ...told, written: false });
      for (const line of coloured(planned, print, 'stdout')) print.line(line);
      if (planned.after === planned.before) print.line(`${planned.file} says so already.`);
      return undefined;
    }
    if (!(await agreed(planned, values.yes === true, { shell, print }))) return exitCodes.no;
    const backup = await backUp(planned, shell.clock.wall());
    await carryOut(planned, shell.clock);
    print.data({ ...told, written: true, backup });
    print.line(`"${name}" is in ${planned.file} now.`);
    if (backup !== undefined) print.line(`The file as it was is ${backup}`);
    print.line(told.restart);
    return undefined;
  },
});

/** A module is a portable command already. */
const shared = (
  typed: ConfigChange,
  place: ConfigPlace,
  { after, shell }: { readonly after: readonly string[] | undefined; readonly shell: Shell },
): ConfigChange => (after === undefined ? typed : projectCommand(typed, place, shell));

/** Shows the change, and asks about it. */
async function agreed(planned: FileEdit, yes: boolean, { shell, print }: CommandContext): Promise<boolean> {
  for (const line of coloured(planned, print, 'stderr')) print.note(line);
  if (yes) return true;
  if (!canAsk(shell))
    throw badArgument('--yes', 'it is missing, and this is not running in a terminal; nothing was written');
  if (await confirmOnTerminal(shell, `Write this to ${planned.file}?`)) return true;
  print.note('Nothing was written.');
  return false;
}

const signs = { '+': 'green', '-': 'red', '@': 'cyan' } as const;

function coloured(planned: FileEdit, print: Printer, where: 'stdout' | 'stderr'): readonly string[] {
  return diffOf(planned).map((line) => {
    const colour = new Map<string, 'green' | 'red' | 'cyan'>(Object.entries(signs)).get(line.charAt(0));
    return colour === undefined ? sanitize(line) : print.style(colour, sanitize(line), where);
  });
}
