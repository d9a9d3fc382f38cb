/** Computes the paths of the configuration files of all applications, for the project and for the user. */
import { homedir } from 'node:os';
import { basename, dirname, posix, sep, win32 } from 'node:path';
import process from 'node:process';
import { namedFolder } from '../../files/named-folder.ts';
import { type Application, applications } from './applications.ts';

/** The environment that determines paths, passed in so that tests can cover all platforms. */
export interface ConfigWorld {
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface ConfigPlace {
  /** The id of the application, as in `--app cursor`. */
  readonly app: string;
  readonly title: string;
  readonly scope: 'project' | 'user';
  readonly file: string;
}

/** All configuration files, those of the project first. Two applications can share a file. */
export function configPlaces(world: ConfigWorld): readonly ConfigPlace[] {
  const { join } = pathsOf(world);
  const places = (scope: ConfigPlace['scope']): ConfigPlace[] =>
    applications.flatMap((one) => {
      const files = (scope === 'user' ? one.user : one.project) ?? [];
      const folder = scope === 'user' ? folderOf(one, world) : world.cwd;
      return files.map((file) => ({ app: one.id, title: one.title, scope, file: join(folder, file) }));
    });
  return [...places('project'), ...places('user')];
}

/**
 * The project root of a configuration file, such as the parent of `.mcp.json` or `.vscode`. Undefined for a file of the user, including
 * any file directly in the home folder.
 */
export function projectOf(file: string): string | undefined {
  const home = homedir();
  const world: ConfigWorld = { cwd: process.cwd(), home, platform: process.platform, env: process.env };
  if (configPlaces(world).some((place) => place.scope === 'user' && place.file === file)) return undefined;
  const known = applications.flatMap(({ project }) => project ?? []).map((path) => sep + path.replaceAll('/', sep));
  const tail = known.find((path) => file.endsWith(path));
  const isHidden = (path: string): boolean => basename(path).startsWith('.');
  const folder = isHidden(dirname(file)) ? dirname(dirname(file)) : isHidden(file) ? dirname(file) : undefined;
  const project = tail === undefined ? folder : file.slice(0, -tail.length);
  return project === home ? undefined : project;
}

/** The path functions of the given platform. */
const pathsOf = ({ platform }: Pick<ConfigWorld, 'platform'>): typeof posix => (platform === 'win32' ? win32 : posix);

/** The folders whose existence shows that an application is installed. */
export function applicationFolders(application: Application, world: ConfigWorld): readonly string[] {
  const { detectFolder } = application;
  return [folderOf(application, world), ...(detectFolder === undefined ? [] : [expandFolder(detectFolder, world)])];
}

function folderOf({ folder, windowsFolder, folderVariable }: Application, world: ConfigWorld): string {
  const override = folderVariable === undefined ? undefined : world.env[folderVariable];
  return override || expandFolder((world.platform === 'win32' ? windowsFolder : undefined) ?? folder, world);
}

function expandFolder(folder: string, world: ConfigWorld): string {
  const { join } = pathsOf(world);
  const [base = '', ...rest] = folder.split('/');
  const { home } = world;
  const roots = new Map([
    ['~', home],
    ['$settings', settingsFolder(world)],
    ['$xdg', world.platform === 'darwin' ? join(home, '.config') : xdgFolder(world)],
  ]);
  return join(roots.get(base) ?? base, ...rest);
}

function settingsFolder(world: ConfigWorld): string {
  const { join } = pathsOf(world);
  const { home, platform, env } = world;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return namedFolder(env['APPDATA'], join(home, 'AppData', 'Roaming'), win32);
  return xdgFolder(world);
}

function xdgFolder(world: ConfigWorld): string {
  const paths = pathsOf(world);
  return namedFolder(world.env['XDG_CONFIG_HOME'], paths.join(world.home, '.config'), paths);
}
