// A server whose names, texts and results are large, empty or right-to-left.
import { createInterface } from 'node:readline';

const inputSchema = { type: 'object' };
const wide = 'a_very_long_name_of_a_field_'.repeat(5);
const results = {
  text: { content: [{ type: 'text', text: 'a line of text\n'.repeat(350_000) }] },
  data: { content: [], structuredContent: { one: 'y'.repeat(1_000_000) } },
  blank: { content: [{ type: 'text', text: '' }] },
  bytes: { content: [{ type: 'image', data: 'not base64!', mimeType: 'image/png' }] },
  arabic: { content: [{ type: 'text', text: 'مرحبا بالعالم، 12.50 EUR' }] },
  wide: { content: [] },
};
const tools = Object.keys(results).map((name) => ({ name, description: `Returns ${name}`, inputSchema }));
tools[5].inputSchema = { ...inputSchema, properties: { [wide]: { type: 'string', description: 'x'.repeat(500) } } };
const answers = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'large', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => results[name],
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: 'no such method' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`);
});
