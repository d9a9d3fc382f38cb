/** A server in plain JavaScript for tests of commands: starts quickly, and offers what a file says. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';

export interface PlainTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: object;
}

const text = `
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const [, , list, options] = process.argv;
const { capabilities = {}, failures = {} } = JSON.parse(readFileSync(options, 'utf8'));
const tools = () => JSON.parse(readFileSync(list, 'utf8')).map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true }, ...capabilities }, serverInfo: { name: 'plain', version: '1' } }),
  ping: () => ({}),
  'tools/list': () => ({ tools: tools() }),
  'tools/call': ({ name, arguments: args, _meta }) => {
    if (_meta?.progressToken !== undefined) say({ method: 'notifications/progress', params: { progressToken: _meta.progressToken, progress: 1 } });
    say({ method: 'notifications/message', params: { level: 'info', data: 'called ' + name } });
    return { content: [{ type: 'text', text: name + ' ' + JSON.stringify(args ?? {}) }] };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === undefined) return;
  if (failures[method] !== undefined) say({ id, error: failures[method] });
  else if (answers[method] === undefined) say({ id, error: { code: -32601, message: 'Method not found' } });
  else say({ id, result: answers[method](params ?? {}) });
}).on('close', () => process.exit());
`;

export interface PlainServer {
  /** The command that starts it. */
  readonly command: readonly [string, ...string[]];
  /** Changes the offered tools. */
  offer(tools: readonly PlainTool[]): Promise<void>;
}

export interface PlainOptions {
  /** Capabilities besides tools. */
  readonly capabilities?: object;
  /** Error responses by method. */
  readonly failures?: Readonly<Record<string, { readonly code: number; readonly message: string }>>;
}

/** Written to this folder. */
export async function plainServer(
  folder: string,
  tools: readonly PlainTool[],
  options: PlainOptions = {},
): Promise<PlainServer> {
  const [program, list, extra] = ['plain-server.mjs', 'tools.json', 'options.json'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const offer = (offered: readonly PlainTool[]): Promise<void> => writeFile(list, JSON.stringify(offered));
  await writeFile(program, text);
  await writeFile(extra, JSON.stringify(options));
  await offer(tools);
  return { command: [process.execPath, program, list, extra], offer };
}
