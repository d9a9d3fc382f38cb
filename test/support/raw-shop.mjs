// A server without any library, which starts at once: one tool that asks and one that echoes, with a handshake and without.
import process from 'node:process';
import { createInterface } from 'node:readline';

const tools = ['refund', 'echo'].map((name) => ({ name, inputSchema: { type: 'object' } }));
const form = {
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Refund it?',
    requestedSchema: { type: 'object', properties: { confirm: { type: 'boolean' } }, required: ['confirm'] },
  },
};
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ resultType: 'complete', content: [{ type: 'text', text: value }] });
const uncached = { ttlMs: 0, cacheScope: 'private' };
const isSure = (answer) => answer?.action === 'accept' && answer.content.confirm === true;
const refunded = (answer) => text(isSure(answer) ? 'refunded' : 'not refunded');
let isOpen = false;
let asked;

const methods = {
  initialize: ({ protocolVersion }) => {
    isOpen = true;
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } };
  },
  'server/discover': () => ({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ...uncached,
  }),
  'tools/list': () => ({ resultType: 'complete', tools, ...uncached }),
  'tools/call': ({ name, arguments: args, inputResponses }, id) => {
    if (name === 'echo') return text(args.text);
    if (inputResponses !== undefined) return refunded(inputResponses.sure);
    if (!isOpen) return { resultType: 'input_required', inputRequests: { sure: form }, requestState: 'x' };
    asked = id;
    send({ id: 'question', ...form });
    return undefined;
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) send({ id: asked, result: refunded(result) });
  else if (id !== undefined && methods[method] === undefined)
    send({ id, error: { code: -32601, message: 'Method not found' } });
  else if (id !== undefined) {
    const answer = methods[method](params ?? {}, id);
    if (answer !== undefined) send({ id, result: answer });
  }
});
