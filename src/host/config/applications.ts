/** The applications that use MCP servers: paths and dialects of their configuration files. */
import * as dialects from './dialects.ts';

export interface Application {
  /** For the command line: `--app cursor`. */
  readonly id: string;
  readonly title: string;
  /** The executable, if it has one. */
  readonly program?: string;
  /** Its folder, below `~` (home), `$settings` (the system's folder for application settings) or `$xdg` (`.config` on every system). */
  readonly folder: string;
  readonly windowsFolder?: string;
  /** The environment variable that overrides `folder`. */
  readonly folderVariable?: string;
  /** Another folder whose existence shows that the application is installed. */
  readonly detectFolder?: string;
  /** The user's configuration file, relative to `folder`. Of several, the first that exists is used. */
  readonly user: readonly string[];
  /** The configuration file of a project, relative to its root. */
  readonly project?: readonly string[];
  /** Matches paths of files in this dialect, in any folder. */
  readonly files: RegExp;
  readonly dialect: dialects.ConfigDialect;
  /** The placeholder for the project folder. Set if the application starts servers in another folder. */
  readonly projectFolder?: string;
  /** Tells the user how to make the application reload its configuration. */
  readonly restart: string;
  /** Set if the application's file supports no URLs: the error message. */
  readonly commandsOnly?: string;
}

export const applications: readonly Application[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    folder: '$settings/Claude',
    user: ['claude_desktop_config.json'],
    files: /\/claude_desktop_config\.json$/,
    dialect: dialects.claudeDesktop,
    restart: 'Quit Claude Desktop completely and start it again.',
    commandsOnly:
      "Claude Desktop's file takes commands only; add a URL in its Settings under Connectors, or give a command after --",
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    program: 'claude',
    folder: '~/.claude',
    user: ['../.claude.json'],
    project: ['.mcp.json'],
    files: /\/\.(?:mcp|claude)\.json$/,
    dialect: dialects.claudeCode,
    restart: 'Restart Claude Code; /mcp shows its servers.',
  },
  {
    id: 'vscode',
    title: 'VS Code',
    program: 'code',
    folder: '$settings/Code',
    user: ['User/mcp.json'],
    project: ['.vscode/mcp.json'],
    // Includes profiles, Insiders builds and VSCodium.
    files: /\/\.?vscode\/[^/]+$|\/(?:code[^/]*|vscodium)\/user\/(?:profiles\/[^/]+\/)?mcp\.json$/,
    dialect: dialects.vscode,
    projectFolder: `\${workspaceFolder}`,
    restart: 'In VS Code, run "MCP: List Servers" from the command palette and start it there.',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    program: 'cursor',
    folder: '~/.cursor',
    user: ['mcp.json'],
    project: ['.cursor/mcp.json'],
    files: /\/\.cursor\/[^/]+$/,
    dialect: dialects.plainDialect,
    projectFolder: `\${workspaceFolder}`,
    restart: 'In Cursor, open Settings, Tools & MCP, and switch it on; restart Cursor if it is not listed.',
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    program: 'windsurf',
    folder: '~/.codeium/windsurf',
    user: ['mcp_config.json'],
    files: /\/windsurf\/[^/]+$/,
    dialect: dialects.windsurf,
    restart: 'In Windsurf, press Refresh among the MCP servers of Cascade.',
  },
  {
    id: 'zed',
    title: 'Zed',
    program: 'zed',
    folder: '$xdg/zed',
    windowsFolder: '$settings/Zed',
    user: ['settings.json'],
    project: ['.zed/settings.json'],
    files: /\/\.?zed\/[^/]+$/,
    dialect: dialects.zed,
    restart: 'Zed reads the file when it changes; its agent panel shows whether the server runs.',
  },
  {
    id: 'codex',
    title: 'Codex',
    program: 'codex',
    folder: '~/.codex',
    folderVariable: 'CODEX_HOME',
    user: ['config.toml'],
    project: ['.codex/config.toml'],
    files: /\.toml$/,
    dialect: dialects.codex,
    restart:
      'Restart Codex; `codex mcp list` shows its servers. It reads the file of a project only once you trust that project.',
  },
  {
    id: 'gemini-cli',
    title: 'Gemini CLI',
    program: 'gemini',
    folder: '~/.gemini',
    user: ['settings.json'],
    project: ['.gemini/settings.json'],
    files: /\/\.gemini\/[^/]+$/,
    dialect: dialects.claudeCode,
    restart: 'Restart Gemini CLI; /mcp shows its servers.',
  },
  {
    id: 'copilot-cli',
    title: 'Copilot CLI',
    program: 'copilot',
    folder: '~/.copilot',
    folderVariable: 'COPILOT_HOME',
    user: ['mcp-config.json'],
    project: ['.mcp.json'],
    files: /\/mcp-config\.json$/,
    dialect: dialects.copilot,
    restart: 'Restart Copilot CLI; /mcp shows its servers.',
  },
  {
    id: 'opencode',
    title: 'opencode',
    program: 'opencode',
    folder: '$xdg/opencode',
    user: ['opencode.json', 'opencode.jsonc'],
    project: ['opencode.json', 'opencode.jsonc'],
    files: /\/opencode\.jsonc?$/,
    dialect: dialects.opencode,
    restart: 'Restart opencode; `opencode mcp list` shows its servers.',
  },
  {
    id: 'cline',
    title: 'Cline',
    program: 'cline',
    folder: '~/.cline',
    folderVariable: 'CLINE_DIR',
    user: ['data/settings/cline_mcp_settings.json'],
    files: /\/cline_mcp_settings\.json$/,
    dialect: dialects.cline,
    restart: 'Cline reads the file when it changes; its MCP Servers panel shows whether the server runs.',
  },
  {
    id: 'continue',
    title: 'Continue',
    program: 'cn',
    folder: '~/.continue',
    folderVariable: 'CONTINUE_GLOBAL_DIR',
    user: ['config.yaml'],
    project: ['.continue/mcpServers/mcp.json'],
    files: /\/\.continue\/[^/]+\.ya?ml$/,
    dialect: dialects.continueYaml,
    restart: 'Continue reads the file when it changes; restart its command line.',
  },
  {
    id: 'goose',
    title: 'goose',
    program: 'goose',
    folder: '$xdg/goose',
    windowsFolder: '$settings/Block/goose/config',
    user: ['config.yaml'],
    files: /\/goose\/(?:config\/)?[^/]+\.ya?ml$/,
    dialect: dialects.goose,
    restart: 'Start a new session of goose.',
  },
  {
    id: 'jetbrains',
    title: 'JetBrains Junie',
    program: 'junie',
    folder: '~/.junie',
    detectFolder: '$settings/JetBrains',
    user: ['mcp/mcp.json'],
    project: ['.junie/mcp/mcp.json'],
    files: /\/\.junie\/mcp\/[^/]+$/,
    dialect: dialects.junie,
    restart:
      'Junie reads the file when it changes. AI Assistant keeps its own list: Settings, Tools, AI Assistant, Model Context Protocol.',
  },
];

/** Finds the application whose dialect a file uses. Independent of the operating system. */
export function applicationOf(file: string): Application | undefined {
  const path = `/${file.replaceAll('\\', '/')}`.toLowerCase();
  return applications.find(({ files }) => files.test(path));
}

export const dialectOf = (file: string): dialects.ConfigDialect =>
  applicationOf(file)?.dialect ?? dialects.plainDialect;
