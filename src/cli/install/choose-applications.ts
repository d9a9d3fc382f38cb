/** Chooses the applications to install into: those of --app, or those that the user picks among the detected ones. */
import { existsSync } from 'node:fs';
import { findProgram } from '../../files/find-program.ts';
import { badArgument } from '../arguments.ts';
import { askOnTerminal } from '../ask.ts';
import { table } from '../columns.ts';
import type { CommandContext } from '../command.ts';
import { shortPath } from '../paths.ts';
import { type Application, applicationFolders, applications, type ConfigPlace } from '../servers/known-applications.ts';
import { placeOf } from '../servers/place.ts';
import { canAsk, type Shell } from '../shell.ts';

export interface ApplicationChoice {
  /** The values of --app; `all` means all detected applications. */
  readonly named: readonly string[] | undefined;
  readonly project: boolean;
  /** The server is a URL, so applications that only support commands are left out. */
  readonly isUrl: boolean;
  /** The typed command line with an empty --app, for suggestions. */
  readonly typed: string;
}

/** Returns their configuration files. Asks in a terminal; elsewhere, throws with the command lines to choose from. */
export async function chooseApplications(
  choice: ApplicationChoice,
  context: CommandContext,
): Promise<readonly ConfigPlace[]> {
  const { named, project } = choice;
  const { shell } = context;
  if (named !== undefined && !named.includes('all')) {
    const places = [...new Set(named)].map((app) => placeOf(app, { project }, shell));
    for (const { app } of places) {
      const refusal = choice.isUrl ? applications.find(({ id }) => id === app)?.commandsOnly : undefined;
      if (refusal !== undefined) throw badArgument(`--app ${app}`, refusal);
    }
    return places;
  }
  const found = foundApplications(shell)
    .filter((one) => !(choice.isUrl && one.commandsOnly !== undefined) && !(project && one.project === undefined))
    .map(({ id }) => placeOf(id, { project }, shell));
  if (found.length === 0)
    throw badArgument(
      '--app',
      `no application was found on this machine; name one of ${applications.map(({ id }) => id).join(', ')}`,
    );
  if (named !== undefined) return found;
  if (!canAsk(shell))
    throw badArgument('--app', `missing; these applications are on this machine:${lines(found, choice)}`);
  return askWhich(found, context);
}

const lines = (found: readonly ConfigPlace[], { typed }: ApplicationChoice): string =>
  found.map(({ app }) => `\n  ${typed.replace('--app', `--app ${app}`)}`).join('');

/** Detects applications by their folders, or by their program on PATH. */
const foundApplications = (shell: Shell): readonly Application[] =>
  applications.filter(
    (one) =>
      applicationFolders(one, shell).some((folder) => existsSync(folder)) ||
      (one.program !== undefined && findProgram(one.program, shell) !== undefined),
  );

async function askWhich(
  found: readonly ConfigPlace[],
  { shell, print }: CommandContext,
): Promise<readonly ConfigPlace[]> {
  print.note('Applications on this machine:');
  const rows = found.map(({ title, file }, at) => [String(at + 1), title, shortPath(file, shell)]);
  for (const line of table(rows)) print.note(line);
  const said = await askOnTerminal(shell, 'Install into which applications? (numbers such as 1,3, or all) ');
  const words = said.split(/[\s,]+/).filter((word) => word !== '');
  if (words.includes('all')) return found;
  return words.map((word) => {
    const place = found[Number(word) - 1] ?? found.find(({ app }) => app === word);
    if (place === undefined) throw badArgument(word, `expected a number from 1 to ${found.length}, or all`);
    return place;
  });
}
