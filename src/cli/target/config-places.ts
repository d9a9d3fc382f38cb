/** Where applications keep their servers: files of the project, and files of the user. */
import { posix, win32 } from 'node:path';
import type { Shell } from '../shell.ts';

export interface ConfigPlace {
  /** As it is typed: `--app cursor`. */
  readonly app: string;
  readonly title: string;
  readonly scope: 'project' | 'user';
  readonly file: string;
}

/** Those of the project first: they are meant for what is being worked on. */
export function configPlaces({
  cwd,
  home,
  platform,
  env,
}: Pick<Shell, 'cwd' | 'home' | 'platform' | 'env'>): readonly ConfigPlace[] {
  const { join } = pathsOf(platform);
  const settings = settingsFolder({ home, platform, env });
  const project = (app: string, title: string, ...path: string[]): ConfigPlace => ({
    app,
    title,
    scope: 'project',
    file: join(cwd, ...path),
  });
  const user = (app: string, title: string, file: string): ConfigPlace => ({ app, title, scope: 'user', file });
  return [
    project('mcp', 'this project', '.mcp.json'),
    project('vscode', 'VS Code', '.vscode', 'mcp.json'),
    project('cursor', 'Cursor', '.cursor', 'mcp.json'),
    project('zed', 'Zed', '.zed', 'settings.json'),
    user('claude-desktop', 'Claude Desktop', join(settings, 'Claude', 'claude_desktop_config.json')),
    user('claude-code', 'Claude Code', join(home, '.claude.json')),
    user('vscode', 'VS Code', join(settings, 'Code', 'User', 'mcp.json')),
    user('cursor', 'Cursor', join(home, '.cursor', 'mcp.json')),
    user('windsurf', 'Windsurf', join(home, '.codeium', 'windsurf', 'mcp_config.json')),
    user('zed', 'Zed', zedFile({ home, platform, env })),
  ];
}

type Where = Pick<Shell, 'home' | 'platform' | 'env'>;

/** Paths are written as that system writes them. */
const pathsOf = (platform: string): typeof posix => (platform === 'win32' ? win32 : posix);

function settingsFolder({ home, platform, env }: Where): string {
  const { join } = pathsOf(platform);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? join(home, 'AppData', 'Roaming');
  return env['XDG_CONFIG_HOME'] ?? join(home, '.config');
}

/** The one that keeps to `.config` on a Mac too. */
function zedFile(where: Where): string {
  const { join } = pathsOf(where.platform);
  return where.platform === 'darwin'
    ? join(where.home, '.config', 'zed', 'settings.json')
    : join(settingsFolder(where), where.platform === 'win32' ? 'Zed' : 'zed', 'settings.json');
}

/** Where this command line keeps what it remembers: approvals, credentials. */
export function stateFolder({ home, platform, env }: Where): string {
  const { join } = pathsOf(platform);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'mooring');
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'mooring');
  return join(env['XDG_STATE_HOME'] ?? join(home, '.local', 'state'), 'mooring');
}
