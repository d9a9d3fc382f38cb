/** The shapes of configuration files: where a file of any application has its servers. */
import type { JsoncMember, JsoncNode } from '../../files/jsonc.ts';
import { isObjectNode, memberOf, nodeAt, valueIn } from '../../files/jsonc-tree.ts';
import { dialectOf } from './applications.ts';
import type { ConfigDialect } from './dialects.ts';
import { isYaml } from './format-of.ts';

type ConfigShape = Pick<ConfigDialect, 'servers' | 'inputs'>;

/** Recognized in every file; the dialect of a file can add its own. */
const shapes: readonly ConfigShape[] = [
  // Claude Desktop and Code, Cursor, Windsurf, Gemini, Cline and most others; .mcp.json
  { servers: ['mcpServers'] },
  // VS Code: .vscode/mcp.json, and the same within its settings
  { servers: ['servers'], inputs: ['inputs'] },
  { servers: ['mcp', 'servers'], inputs: ['mcp', 'inputs'] },
  // Zed
  { servers: ['context_servers'] },
  // Codex
  { servers: ['mcp_servers'] },
];

/** As they are named where a file has none. */
export const shapeNames: string = shapes.map(({ servers }) => `"${servers.join('.')}"`).join(', ');

export interface ServerList {
  readonly shape: ConfigShape;
  /** By name. */
  readonly entries: readonly JsoncMember[];
}

/** Every list of servers in a file. */
export function findServerLists(root: JsoncNode, file: string): ServerList[] {
  const own = dialectOf(file);
  const known = shapes.some(({ servers }) => servers.join('.') === own.servers.join('.')) ? shapes : [...shapes, own];
  return known.flatMap((shape) => {
    const node = nodeAt(root, shape.servers);
    // Within `mcp`, which opencode keeps its servers in, `servers` is a list of them and not one.
    if (isObjectNode(node))
      return [{ shape, entries: node.members.filter(({ key }) => shape !== own || key !== 'servers') }];
    return node?.kind === 'array' && isYaml(file) ? [{ shape, entries: node.items.flatMap(namedItem) }] : [];
  });
}

/** An item of a list without a name cannot be referred to. */
function namedItem(value: JsoncNode): JsoncMember[] {
  const key = valueIn(memberOf(value, 'name'));
  return typeof key === 'string' ? [{ key, value, start: value.start, end: value.end }] : [];
}

/** Of two of the same name the last one counts. */
export const entryNamed = ({ entries }: ServerList, name: string): JsoncNode | undefined =>
  entries.findLast(({ key }) => key === name)?.value;
