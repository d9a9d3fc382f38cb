/** A server in plain JavaScript, which starts at once and offers what a file says. For tests of commands. */
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
const tools = () => JSON.parse(readFileSync(process.argv[2], 'utf8')).map((tool) => ({ inputSchema: { type: 'object' }, ...tool }));
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'plain', version: '1' } }),
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
  if (answers[method] === undefined) say({ id, error: { code: -32601, message: 'Method not found' } });
  else say({ id, result: answers[method](params ?? {}) });
}).on('close', () => process.exit());
`;

export interface PlainServer {
  /** What starts it. */
  readonly command: readonly [string, ...string[]];
  /** It offers these from now on. */
  offer(tools: readonly PlainTool[]): Promise<void>;
}

/** Written into this folder. */
export async function plainServer(folder: string, tools: readonly PlainTool[]): Promise<PlainServer> {
  const [program, list] = [join(folder, 'plain-server.mjs'), join(folder, 'tools.json')];
  const offer = (offered: readonly PlainTool[]): Promise<void> => writeFile(list, JSON.stringify(offered));
  await writeFile(program, text);
  await offer(tools);
  return { command: [process.execPath, program, list], offer };
}
