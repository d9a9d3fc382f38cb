/** The shapes of configuration files: where each application keeps its servers. */
import { basename, dirname } from 'node:path';
import type { JsoncNode, JsoncObject } from './jsonc.ts';
import { isObjectNode, nodeAt } from './jsonc-tree.ts';

export interface Shape {
  /** Where the servers are, by name. */
  readonly servers: readonly string[];
  /** Where the values are described that a user is asked for. */
  readonly inputs?: readonly string[];
}

export const shapes: readonly Shape[] = [
  // Claude Desktop and Code, Cursor, Windsurf, Gemini, Cline and most others; .mcp.json
  { servers: ['mcpServers'] },
  // VS Code: .vscode/mcp.json, and the same within its settings
  { servers: ['servers'], inputs: ['inputs'] },
  { servers: ['mcp', 'servers'], inputs: ['mcp', 'inputs'] },
  // Zed
  { servers: ['context_servers'] },
];

export interface Shaped {
  readonly shape: Shape;
  readonly servers: JsoncObject;
}

/** Every list of servers in a file. */
export function shapesIn(root: JsoncNode): Shaped[] {
  return shapes.flatMap((shape) => {
    const servers = nodeAt(root, shape.servers);
    return isObjectNode(servers) ? [{ shape, servers }] : [];
  });
}

/** The shape of a file that has no servers yet, by where it is. */
export function shapeFor(file: string): Shape {
  const folder = basename(dirname(file)).toLowerCase();
  const servers = /\.?vscode$/.test(folder) ? 'servers' : /^\.?zed$/.test(folder) ? 'context_servers' : 'mcpServers';
  return shapes.find((shape) => shape.servers[0] === servers && shape.servers.length === 1) ?? { servers: [servers] };
}
