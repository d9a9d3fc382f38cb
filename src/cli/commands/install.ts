/** `mooring install`: adds a server to the configuration of applications, or prints install links. */

import { MASK } from '../../model/secrets.ts';
import { shellWord } from '../../model/shell-word.ts';
import { badArgument } from '../arguments.ts';
import { type CommandInput, command, flag, type Options, repeatable, withValue } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseApplications } from '../install/choose-applications.ts';
import {
  type InstallOutcome,
  type InstallPlan,
  outcomeOf,
  planInstall,
  showDiff,
  writeInstall,
} from '../install/install-plan.ts';
import { installLinks } from '../install/links.ts';
import { nameFor } from '../install/name.ts';
import { pathFrom } from '../paths.ts';
import type { Printer } from '../printer.ts';
import { type DefinitionInput, definitionOf, definitionOptions } from '../servers/definition.ts';
import { maskWords } from '../servers/known-applications.ts';

const installOptions = {
  app: repeatable(
    'application',
    'claude-desktop, claude-code, vscode, cursor, windsurf, zed, codex, gemini-cli, copilot-cli, opencode, cline, continue, goose, jetbrains; or all that are found',
  ),
  project: flag("Write the application's file in this project, not the user's file"),
  name: withValue('name', 'Name of the server (default: after its package, file, folder or host)'),
  ...definitionOptions,
  link: flag('Print links and badges that install the server'),
  'dry-run': flag('Show the change, and write nothing'),
  yes: flag('Write without asking', 'y'),
} as const satisfies Options;
type InstallOptions = typeof installOptions;

export const install = command('install', {
  usage: [
    '<url | module> [--app <application>]',
    '[--app <application>] [options] -- <command> [argument …]',
    '--link <url> | --link -- <command> [argument …]',
  ],
  about: `Add a server to the configuration of applications.

Without --app, install finds the applications on this machine and asks which. Install shows the change first, and keeps a copy of the file.

Commands and modules are written with absolute paths, so that the application finds them. With --project they are written relative to the project, so that you can commit the file.

With --link, install prints links and Markdown badges for VS Code and Cursor, and writes nothing. Secrets become questions or variables.`,
  options: installOptions,
  examples: [
    ['mooring install ./server.ts', 'choose among the applications found'],
    ['mooring install ./server.ts --app claude-desktop --app codex'],
    ['mooring install https://example.com/mcp --app vscode --project'],
    ['mooring install --app cursor --name files -- npx -y @modelcontextprotocol/server-filesystem .'],
    ['mooring install --link https://example.com/mcp', 'a badge for your README'],
  ],
  async run(input) {
    const { shell, print } = input;
    const { words, after, values } = input;
    // Resolved, so that `./server.ts` gets the name of its folder.
    const named = words.map((word) => (/^https?:/i.test(word) ? word : pathFrom(shell, word)));
    const name = values.name ?? nameFor(after ?? named);
    if (name.trim() === '') throw badArgument('--name', 'expected a name');
    if (values.link === true) {
      await printLinks(name, input);
      return undefined;
    }
    const { url } = await definitionOf(input);
    const choice = {
      named: values.app,
      project: values.project === true,
      isUrl: typeof url === 'string',
      typed: suggestionFor(input),
    };
    const places = await chooseApplications(choice, input);
    const plans: InstallPlan[] = [];
    // Two applications can share a file.
    for (const place of places)
      if (!plans.some(({ planned }) => planned.file === place.file)) plans.push(await planInstall(name, place, input));
    const outcomes: (InstallOutcome | undefined)[] = [];
    for (const plan of plans) {
      const isUnwritten = values['dry-run'] === true || plan.isDone;
      if (isUnwritten) showPlan(plan, print);
      outcomes.push(
        isUnwritten
          ? outcomeOf(plan, false)
          : await writeInstall(name, plan, { shell, print, yes: values.yes === true }),
      );
    }
    print.data({ name, applications: outcomes.filter((one) => one !== undefined) });
    return outcomes.length === 0 || outcomes.includes(undefined) ? exitCodes.no : undefined;
  },
});

function showPlan({ planned, isDone }: InstallPlan, print: Printer): void {
  showDiff(planned, print, 'stdout');
  if (isDone) print.line(`${planned.file} has this entry already.`);
}

/** The typed command line with an empty `--app`, for suggestions. Values of `--env` and `--header`, and secrets, are replaced by `…`. */
function suggestionFor({ words, after, values }: CommandInput<InstallOptions>): string {
  const named = values.name === undefined ? [] : ['--name', values.name];
  const added = [...(values.env ?? []), ...(values.header ?? [])].map((pair) => pair.replace(/(?<=[=:]).*$/s, '…'));
  const flags = added.flatMap((pair, at) => [at < (values.env?.length ?? 0) ? '--env' : '--header', pair]);
  const shown = (typed: readonly string[]): string[] => maskWords(typed).map((word) => word.replaceAll(MASK, '…'));
  const parts = [...shown(words), '--app', ...(values.project === true ? ['--project'] : []), ...named, ...flags];
  const command = after === undefined ? [] : ['--', ...shown(after)];
  return ['mooring', 'install', ...parts, ...command].map(shellWord).join(' ');
}

async function printLinks(name: string, input: DefinitionInput): Promise<void> {
  const { print } = input;
  const links = installLinks(name, await definitionOf(input));
  print.data({ name, links });
  for (const { title, link, web } of links) print.line(`${print.style('bold', title)}\n  ${link}\n  ${web}`);
  print.line(`\n${print.style('bold', 'Markdown')}`);
  for (const { badge } of links) print.line(badge);
}
