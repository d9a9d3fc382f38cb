/** `mooring install`: a server for applications that people use. */
import { badArgument } from '../arguments.ts';
import { type CommandContext, command, type Input, type Options } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseApplications } from '../install/choose-applications.ts';
import {
  carryOutInstall,
  type InstallOutcome,
  type InstallPlan,
  outcomeOf,
  planInstall,
  showDiff,
} from '../install/install-plan.ts';
import { installLinks } from '../install/links.ts';
import { nameFor } from '../install/name.ts';
import type { Printer } from '../printer.ts';
import { type DefinitionInput, definitionOf, definitionOptions } from '../servers/definition.ts';
import type { Shell } from '../shell.ts';
import { pathFrom } from '../target/target.ts';

const installOptions = {
  app: {
    type: 'string',
    multiple: true,
    value: 'application',
    about:
      'claude-desktop, claude-code, vscode, cursor, windsurf, zed, codex, gemini-cli, copilot-cli, opencode, cline, continue, goose, jetbrains; or all that are found (repeatable)',
  },
  project: { type: 'boolean', about: "Write the application's file in this project, not the user's file" },
  name: {
    type: 'string',
    value: 'name',
    about: 'Name of the server (default: after its package, file, folder or host)',
  },
  ...definitionOptions,
  link: { type: 'boolean', about: 'Print links and badges that install the server' },
  'dry-run': { type: 'boolean', about: 'Show the change, and write nothing' },
  yes: { type: 'boolean', short: 'y', about: 'Write without asking' },
} as const satisfies Options;
type InstallOptions = typeof installOptions;

export const install = command({
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
  async run(input, { shell, print }: CommandContext) {
    const { words, after, values } = input;
    // A file called server.ts is named after the folder that it is in.
    const named = words.map((word) => (/^https?:/i.test(word) ? word : pathFrom(shell, word)));
    const name = values.name ?? nameFor(after ?? named);
    if (name.trim() === '') throw badArgument('--name', 'expected a name');
    if (values.link === true) return printLinks(name, input, { shell, print });
    const { url } = await definitionOf(input, shell);
    const choice = {
      named: values.app,
      project: values.project === true,
      isUrl: typeof url === 'string',
      typed: typedAgain(input),
    };
    const places = await chooseApplications(choice, { shell, print });
    const plans: InstallPlan[] = [];
    // Two applications can share a file.
    for (const place of places)
      if (!plans.some(({ planned }) => planned.file === place.file))
        plans.push(await planInstall(name, place, { input, shell, print }));
    const outcomes: (InstallOutcome | undefined)[] = [];
    for (const plan of plans) {
      const isLook = values['dry-run'] === true || plan.isDone;
      if (isLook) showPlan(plan, print);
      outcomes.push(
        isLook ? outcomeOf(plan, false) : await carryOutInstall(name, plan, { shell, print, yes: values.yes === true }),
      );
    }
    print.data({ name, applications: outcomes.filter((one) => one !== undefined) });
    return outcomes.length === 0 || outcomes.includes(undefined) ? exitCodes.no : undefined;
  },
});

function showPlan({ planned, isDone }: InstallPlan, print: Printer): void {
  showDiff(planned, print, 'stdout');
  if (isDone) print.line(`${planned.file} says so already.`);
}

/** With room for an application; values that can be secret are left out. */
function typedAgain({ words, after, values }: Input<InstallOptions>): string {
  const quote = (word: string): string =>
    /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
  const named = values.name === undefined ? [] : ['--name', values.name];
  const added = [...(values.env ?? []), ...(values.header ?? [])].map((pair) => pair.replace(/(?<=[=:]).*$/s, '…'));
  const flags = added.flatMap((pair, at) => [at < (values.env?.length ?? 0) ? '--env' : '--header', pair]);
  const parts = [...words, '--app', ...(values.project === true ? ['--project'] : []), ...named, ...flags];
  return ['mooring', 'install', ...parts, ...(after === undefined ? [] : ['--', ...after])].map(quote).join(' ');
}

async function printLinks(
  name: string,
  input: DefinitionInput,
  { shell, print }: { shell: Shell; print: Printer },
): Promise<undefined> {
  const links = installLinks(name, await definitionOf(input, shell));
  print.data({ name, links });
  for (const { title, link, web } of links) print.line(`${print.style('bold', title)}\n  ${link}\n  ${web}`);
  print.line(`\n${print.style('bold', 'Markdown')}`);
  for (const { badge } of links) print.line(badge);
  return undefined;
}
