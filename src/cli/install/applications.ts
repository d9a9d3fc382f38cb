/** What applications want to be told, and what to do after their configuration was changed. */

/** How an application takes notice of a change. */
export const restarts: ReadonlyMap<string, string> = new Map([
  ['claude-desktop', 'Quit Claude Desktop completely and start it again.'],
  ['claude-code', 'Restart Claude Code; /mcp shows its servers.'],
  ['vscode', 'In VS Code, run "MCP: List Servers" from the command palette and start it there.'],
  ['cursor', 'In Cursor, open Settings, Tools & MCP, and switch it on; restart Cursor if it is not listed.'],
  ['windsurf', 'In Windsurf, press Refresh among the MCP servers of Cascade.'],
  ['zed', 'Zed takes notice by itself; its agent panel shows whether the server runs.'],
]);

/** Why an application cannot have an address, for those that cannot. */
export const commandsOnly: ReadonlyMap<string, string> = new Map([
  [
    'claude-desktop',
    "Claude Desktop's file takes commands only; add an address in its Settings under Connectors, or give a command after --",
  ],
]);
