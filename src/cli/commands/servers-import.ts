/** `mooring servers import`: copies servers from another application or file. */
import { existsSync } from 'node:fs';
import { type ConfigReport, listsServers, readConfig } from '../../host/index.ts';
import { printable, printableLines } from '../../model/printable.ts';
import { badArgument, onlyWord } from '../arguments.ts';
import { command, flag } from '../command.ts';
import { exitCodes } from '../exit-codes.ts';
import { pathFrom } from '../paths.ts';
import type { Printer } from '../printer.ts';
import { diffOf, planEdit, writeEdit } from '../servers/edit.ts';
import { type ImportPlan, planOf } from '../servers/import.ts';
import { looksUpReferences, referenceIn } from '../servers/known-applications.ts';
import { configPlaceIn, placeOptions, placesOf } from '../servers/place.ts';
import type { Shell } from '../shell.ts';

export const serversImport = command('servers import', {
  usage: ['<file | application> [--dry-run]'],
  about: `Copy servers from another application into a configuration file.

The file is .mcp.json of this project unless you name another one. Secrets are not copied: a value that looks like a secret becomes a reference, and import names it.`,
  exits: [
    [0, 'every server was copied'],
    [1, 'a server was not copied, because a different one has its name'],
  ],
  options: { ...placeOptions, 'dry-run': flag('Show the change, and write nothing') },
  examples: [
    ['mooring servers import claude-desktop --dry-run'],
    ['mooring servers import ~/other/.vscode/mcp.json'],
    ['mooring servers import cursor --app vscode --project'],
  ],
  async run(input) {
    const { values, shell, print } = input;
    const from = onlyWord(input, '<file | application>', 'a file, or an application such as claude-desktop');
    const place = configPlaceIn(input);
    const into = place.file;
    const files = filesOf(from, shell).filter((file) => file !== into);
    if (files.length === 0) throw badArgument(from, 'source and target are the same file; name another source');
    const report = await readValid(files);
    const plan = planOf(report, await readValid((await listsServers(into)) ? [into] : []), referenceIn(into));
    const planned = await planEdit(
      into,
      plan.fresh.map(({ name, change }) => [name, change]),
    );
    const dryRun = values['dry-run'] === true;
    if (!dryRun) await writeEdit(planned, shell.clock);
    const diff = dryRun ? diffOf(planned) : [];
    print.data({ file: planned.file, dryRun, ...planData(plan), ...(dryRun ? { diff: diff.join('\n') } : {}) });
    for (const line of diff) print.line(printableLines(line));
    for (const line of summary(plan, planned.file, dryRun, print)) print.line(line);
    for (const { name } of report.left) print.note(`"${printable(name)}" was not copied, because it is disabled`);
    for (const note of planData(plan).notes)
      print.note(`${print.style('yellow', 'note', 'stderr')} ${printable(note)}`);
    if (planData(plan).notes.length > 0 && !looksUpReferences(place.file))
      print.note(
        `${print.style('yellow', 'note', 'stderr')} ${place.title} does not resolve references to variables: write the values into ${planned.file}`,
      );
    return plan.conflicts.length > 0 ? exitCodes.no : undefined;
  },
});

/** Throws the first fault, so that nothing is written from or to an invalid file. */
async function readValid(files: readonly string[]): Promise<ConfigReport> {
  const report = await readConfig(...files);
  const [fault] = report.faults;
  if (fault !== undefined) throw fault;
  return report;
}

function planData({ fresh, same, conflicts }: ImportPlan) {
  const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name);
  return { imported: names(fresh), same: names(same), conflicts, notes: fresh.flatMap(({ notes }) => notes) };
}

/** An existing file or anything that looks like a path is a file; anything else must be an application. */
function filesOf(from: string, shell: Shell): readonly string[] {
  const path = pathFrom(shell, from);
  if (existsSync(path)) return [path];
  if (/[/\\]|\.jsonc?$/i.test(from)) throw badArgument(from, `file not found (${path})`);
  const places = placesOf(from, shell, from).map(({ file }) => file);
  const found = places.filter((file) => existsSync(file));
  if (found.length === 0)
    throw badArgument(from, `this application has no configuration; these files were looked for: ${places.join(', ')}`);
  return found;
}

function summary(
  { fresh, same, conflicts }: ImportPlan,
  file: string,
  dryRun: boolean,
  print: Printer,
): readonly string[] {
  const list = (named: readonly { readonly name: string }[]): string =>
    named.map(({ name }) => printable(name)).join(', ');
  const lines: string[] = [];
  if (fresh.length > 0) lines.push(`${dryRun ? 'Would be added to' : 'Added to'} ${file}: ${list(fresh)}`);
  if (same.length > 0) lines.push(`Already there: ${list(same)}`);
  for (const { name, file: where, line } of conflicts)
    lines.push(
      `${print.style('red', 'Not copied')}: ${printable(name)}; ${where}, line ${line}, has a different server with this name`,
    );
  return lines.length === 0 ? ['There are no servers to copy.'] : lines;
}
