/** A minimal stdio server, handwritten, that validates its arguments with zod. */
import { createInterface } from 'node:readline';
import * as z from 'zod';

const input = z.object({ message: z.string() });
const serverInfo = { name: 'quay', version: '1.0.0' };

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line) as { id?: number; method: string; params?: { arguments: unknown } }; // by hand
  if (id === undefined) continue;
  const results: Record<string, () => object> = {
    initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }),
    'tools/list': () => ({ tools: [{ name: 'echo', inputSchema: z.toJSONSchema(input) }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: input.parse(params?.arguments).message }] }),
  };
  const error = { code: -32601, message: 'Method not found' };
  const result = results[method];
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result: result() }) }));
}
