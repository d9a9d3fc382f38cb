/** Chooses the configuration file to edit: `--app cursor`, `--file servers.json`, or `.mcp.json` of the project. */
import { existsSync } from 'node:fs';
import { suggest } from '../../model/suggest.ts';
import { badArgument } from '../arguments.ts';
import { type CommandInput, flag, type Options, withValue } from '../command.ts';
import { pathFrom } from '../paths.ts';
import type { Shell } from '../shell.ts';
import { applications, type ConfigPlace, configPlaces } from './known-applications.ts';

export const placeOptions = {
  app: withValue('application', 'Use the file of this application: vscode, cursor, zed, …'),
  project: flag("With --app: use the application's file in this project, not the user's file"),
  file: withValue('file', 'Use this file (default: .mcp.json of this project)'),
} as const satisfies Options;

export function configPlaceIn({
  values,
  shell,
}: Pick<CommandInput<typeof placeOptions>, 'values' | 'shell'>): ConfigPlace {
  const { app, project, file } = values;
  if (app !== undefined && file !== undefined) throw badArgument('--file', 'use either --file or --app');
  if (app !== undefined) return placeOf(app, { project: project === true }, shell);
  if (project === true && file !== undefined)
    throw badArgument('--project', 'this option requires --app, and chooses between the two files of an application');
  const path = pathFrom(shell, file ?? '.mcp.json');
  return { app: 'mcp', title: path, scope: 'project', file: path };
}

/** The file of an application; if it has several, the first that exists. */
export function placeOf(app: string, { project }: { readonly project: boolean }, shell: Shell): ConfigPlace {
  const own = placesOf(app, shell);
  const fitting = own.filter(({ scope }) => scope === (project ? 'project' : 'user'));
  const found = fitting.find(({ file }) => existsSync(file)) ?? fitting[0];
  if (found !== undefined) return found;
  throw badArgument('--project', `${own[0].title} has no configuration file in projects`);
}

/** All candidate files of an application, whether they exist or not. */
export function placesOf(
  app: string,
  shell: Shell,
  argument = `--app ${app}`,
): readonly [ConfigPlace, ...ConfigPlace[]] {
  const [first, ...more] = configPlaces(shell).filter((place) => place.app === app);
  if (first !== undefined) return [first, ...more];
  const ids = applications.map(({ id }) => id);
  throw badArgument(argument, `unknown application; ${suggest(app, ids)}`);
}
