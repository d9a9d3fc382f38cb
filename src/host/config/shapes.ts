/** Finds the lists of servers in a configuration file of any application. */
import type { JsoncMember, JsoncNode } from '../../files/jsonc.ts';
import { isObjectNode, memberOf, nodeAt, valueIn } from '../../files/jsonc-tree.ts';
import { dialectOf } from './applications.ts';
import type { ConfigDialect } from './dialects.ts';
import { isYaml } from './format-of.ts';

type ConfigShape = Pick<ConfigDialect, 'servers' | 'inputs'>;

/** The paths that are searched in every file, in addition to the path of its own dialect. */
const shapes: readonly ConfigShape[] = [
  // Claude Desktop and Code, Cursor, Windsurf, Gemini, Cline and most others; .mcp.json
  { servers: ['mcpServers'] },
  // VS Code: .vscode/mcp.json, and its settings
  { servers: ['servers'], inputs: ['inputs'] },
  { servers: ['mcp', 'servers'], inputs: ['mcp', 'inputs'] },
  // Zed
  { servers: ['context_servers'] },
  // Codex
  { servers: ['mcp_servers'] },
];

/** The list of paths for the error message of a file without servers. */
export const shapeNames: string = shapes.map(({ servers }) => `"${servers.join('.')}"`).join(', ');

export interface ServerList {
  readonly shape: ConfigShape;
  /** The key is the name of the server. */
  readonly entries: readonly JsoncMember[];
}

/** Finds every list of servers in a file. */
export function findServerLists(root: JsoncNode, file: string): ServerList[] {
  const own = dialectOf(file);
  const known = shapes.some(({ servers }) => servers.join('.') === own.servers.join('.')) ? shapes : [...shapes, own];
  return known.flatMap((shape) => {
    const node = nodeAt(root, shape.servers);
    // opencode's servers are members of `mcp`; there, `servers` is the list of VS Code's shape, not a server's name.
    if (isObjectNode(node))
      return [{ shape, entries: node.members.filter(({ key }) => shape !== own || key !== 'servers') }];
    return node?.kind === 'array' && isYaml(file) ? [{ shape, entries: node.items.flatMap(namedItem) }] : [];
  });
}

/** Skips list items without a name, because they cannot be identified. */
function namedItem(value: JsoncNode): JsoncMember[] {
  const key = valueIn(memberOf(value, 'name'));
  return typeof key === 'string' ? [{ key, value, start: value.start, end: value.end }] : [];
}

/** The entry with this name; of duplicate keys, the last one. */
export const entryNamed = ({ entries }: ServerList, name: string): JsoncNode | undefined =>
  entries.findLast(({ key }) => key === name)?.value;
