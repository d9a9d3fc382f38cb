/** Plans, shows, confirms and writes the change of one configuration file, with a backup. */
import { printableLines } from '../../model/printable.ts';
import { badArgument } from '../arguments.ts';
import { confirmOnTerminal } from '../ask.ts';
import type { CommandContext } from '../command.ts';
import type { Printer } from '../printer.ts';
import { type DefinitionInput, definitionOf, warnOfSecrets } from '../servers/definition.ts';
import { backUp, diffOf, type FileEdit, planEdit, writeEdit } from '../servers/edit.ts';
import { applications, type ConfigPlace } from '../servers/known-applications.ts';
import { canAsk, type Shell } from '../shell.ts';
import { projectCommandEntry, toPortableCommand } from './portable-command.ts';

export interface InstallPlan {
  readonly place: ConfigPlace;
  readonly planned: FileEdit;
  readonly isDone: boolean;
}

/** The entry in the output of --json. */
export interface InstallOutcome {
  readonly app: string;
  readonly file: string;
  readonly diff: string;
  readonly restart: string;
  readonly written: boolean;
  readonly backup?: string | undefined;
}

export async function planInstall(name: string, place: ConfigPlace, input: DefinitionInput): Promise<InstallPlan> {
  const { shell, print } = input;
  const typed = await definitionOf(input, place);
  // For a project, `definitionOf` already returns a portable command for a module.
  const inProject = input.after === undefined ? typed : projectCommandEntry(typed, place, shell);
  const change = place.scope === 'user' ? toPortableCommand(typed, shell) : inProject;
  const planned = await planEdit(place.file, [[name, change]]);
  warnOfSecrets(change, place, print);
  return { place, planned, isDone: planned.after === planned.before };
}

export const outcomeOf = ({ place, planned }: InstallPlan, written: boolean, backup?: string): InstallOutcome => ({
  app: place.app,
  file: planned.file,
  diff: diffOf(planned).join('\n'),
  restart: restartOf(place),
  written,
  ...(backup === undefined ? {} : { backup }),
});

const restartOf = ({ app }: ConfigPlace): string => applications.find(({ id }) => id === app)?.restart ?? '';

/** Undefined if the user declined. */
export async function writeInstall(
  name: string,
  plan: InstallPlan,
  { shell, print, yes }: CommandContext & { readonly yes: boolean },
): Promise<InstallOutcome | undefined> {
  const { place, planned } = plan;
  showDiff(planned, print, 'stderr');
  if (!yes && !(await isAgreed(planned, shell))) {
    print.note('Nothing was written.');
    return undefined;
  }
  const backup = await backUp(planned, shell.clock.wall());
  await writeEdit(planned, shell.clock);
  print.line(`"${name}" is in ${planned.file} now.`);
  if (backup !== undefined) print.line(`The previous version of the file is ${backup}`);
  print.line(restartOf(place));
  return outcomeOf(plan, true, backup);
}

async function isAgreed({ file }: FileEdit, shell: Shell): Promise<boolean> {
  if (!canAsk(shell))
    throw badArgument('--yes', 'required, because this is not running in a terminal; nothing was written');
  return confirmOnTerminal(shell, `Write this to ${file}?`);
}

const diffColors: ReadonlyMap<string, 'green' | 'red' | 'cyan'> = new Map([
  ['+', 'green'],
  ['-', 'red'],
  ['@', 'cyan'],
]);

export function showDiff(planned: FileEdit, print: Printer, where: 'stdout' | 'stderr'): void {
  for (const line of diffOf(planned)) {
    const color = diffColors.get(line.charAt(0));
    const text = color === undefined ? printableLines(line) : print.style(color, printableLines(line), where);
    if (where === 'stdout') print.line(text);
    else print.lines(text);
  }
}
