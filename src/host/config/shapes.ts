/** The shapes of configuration files: where each application keeps its servers. */
import type { JsoncNode, JsoncObject } from '../../files/jsonc.ts';
import { isObjectNode, nodeAt } from '../../files/jsonc-tree.ts';

export interface ConfigShape {
  /** Where the servers are, by name. */
  readonly servers: readonly string[];
  /** Where the values are described that a user is asked for. */
  readonly inputs?: readonly string[];
}

export const shapes: readonly ConfigShape[] = [
  // Claude Desktop and Code, Cursor, Windsurf, Gemini, Cline and most others; .mcp.json
  { servers: ['mcpServers'] },
  // VS Code: .vscode/mcp.json, and the same within its settings
  { servers: ['servers'], inputs: ['inputs'] },
  { servers: ['mcp', 'servers'], inputs: ['mcp', 'inputs'] },
  // Zed
  { servers: ['context_servers'] },
];

export interface ServerList {
  readonly shape: ConfigShape;
  readonly servers: JsoncObject;
}

/** Every list of servers in a file. */
export function findServerLists(root: JsoncNode): ServerList[] {
  return shapes.flatMap((shape) => {
    const servers = nodeAt(root, shape.servers);
    return isObjectNode(servers) ? [{ shape, servers }] : [];
  });
}

/** The shape of a file that has no servers yet, by where it is. */
export function shapeFor(file: string): ConfigShape {
  const servers = isVsCode(file) ? 'servers' : isZed(file) ? 'context_servers' : 'mcpServers';
  return shapes.find((shape) => shape.servers[0] === servers && shape.servers.length === 1) ?? { servers: [servers] };
}

/** How a URL is written in a file that has none yet, by where the file is. */
export function urlFieldFor(file: string): { readonly name: string; readonly typed: boolean } {
  if (folderOf(file) === 'windsurf') return { name: 'serverUrl', typed: false };
  // Without a type, some applications take a URL for one of HTTP+SSE. Zed has no types.
  return { name: 'url', typed: !isZed(file) };
}

/** `.vscode/mcp.json` of a project; of the user, `Code/User/mcp.json`, or that of a profile below it. */
const isVsCode = (file: string): boolean =>
  /\.?vscode$/.test(folderOf(file)) ||
  /[/\\](?:code[^/\\]*|vscodium)[/\\]user[/\\](?:profiles[/\\][^/\\]+[/\\])?mcp\.json$/i.test(file);

const isZed = (file: string): boolean => /^\.?zed$/.test(folderOf(file));

/** Files of all systems are read on all systems. */
const folderOf = (file: string): string => (file.split(/[/\\]/).at(-2) ?? '').toLowerCase();
