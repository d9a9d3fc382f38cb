/**
 * The quay with the official SDK, version 1. An argument makes it meet what came before its time as some servers do:
 * `exits-early` ends at any message before the handshake, `ignores-early` says nothing to it.
 */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  ListPromptsRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const subscribed = new Set<string>();
let aborted = 0;

const server = new McpServer(
  { name: 'quay-sdk-1', version: '1.0.0', title: 'Quay' },
  {
    capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
    instructions: 'Berth before you unload.',
  },
);

server.registerTool(
  'add',
  { description: 'Adds', inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
  ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
);
server.registerTool('count', { inputSchema: { to: z.number().int() } }, async ({ to }, extra) => {
  const progressToken = extra._meta?.progressToken;
  for (let done = 1; done <= to && progressToken !== undefined; done++) {
    const params = { progressToken, progress: done, total: to, message: `${done} of ${to}` };
    await extra.sendNotification({ method: 'notifications/progress', params });
  }
  return text(`counted to ${to}`);
});
server.registerTool('wait', {}, async (extra) => {
  await new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
  aborted++;
  return text('nobody hears this');
});
server.registerTool('aborted', {}, () => text(`${aborted}`));
server.registerTool('fail', {}, () => {
  throw new Error('The crane is stuck');
});
server.registerTool('chatter', {}, async () => {
  await server.sendLoggingMessage({ level: 'debug', logger: 'quay', data: 'whisper' });
  await server.sendLoggingMessage({ level: 'warning', logger: 'quay', data: 'shout' });
  return text('said');
});
server.registerTool('introduce', {}, async () => {
  const answer = await server.server.elicitInput({
    message: 'Who is there?',
    requestedSchema: {
      type: 'object',
      properties: { name: { type: 'string', minLength: 1 }, crew: { type: 'integer', minimum: 1 } },
      required: ['name', 'crew'],
    },
  });
  return text(JSON.stringify({ action: answer.action, content: answer.content }));
});
server.registerTool('think', {}, async () => {
  const { content, model } = await server.server.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: 'Which berth?' } }],
    maxTokens: 10,
  });
  return text(`${model}: ${content.type === 'text' ? content.text : content.type}`);
});
server.registerTool('folders', {}, async () => {
  const { roots } = await server.server.listRoots();
  return text(roots.map((root) => root.uri).join(' '));
});
server.registerTool('grow', {}, () => {
  server.registerTool('grown', {}, () => text('new here'));
  return text('grown');
});
server.registerTool('touch', { inputSchema: { uri: z.string() } }, async ({ uri }) => {
  if (subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
  return text('touched');
});

server.registerResource('log', 'quay://log', { mimeType: 'text/plain' }, ({ href }) => ({
  contents: [{ uri: href, mimeType: 'text/plain', text: 'All quiet' }],
}));
server.registerResource('flag', 'quay://flag', { mimeType: 'image/png' }, ({ href }) => ({
  contents: [{ uri: href, mimeType: 'image/png', blob: 'AQID' }],
}));
const berths = new ResourceTemplate('quay://berth/{id}', {
  list: undefined,
  complete: { id: (value) => ['north', 'south'].filter((one) => one.startsWith(value)) },
});
server.registerResource('berth', berths, {}, ({ href }, { id }) => ({
  contents: [{ uri: href, text: `Berth ${id}` }],
}));
server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => {
  subscribed.add(params.uri);
  return {};
});
server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => {
  subscribed.delete(params.uri);
  return {};
});

server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Ahoy, ${who}!` } }],
}));
// The SDK itself gives every list as one page.
server.server.setRequestHandler(ListPromptsRequestSchema, ({ params }) =>
  params?.cursor === undefined
    ? { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }], nextCursor: 'two' }
    : { prompts: [{ name: 'farewell' }] },
);

const transport = new StdioServerTransport();
await server.connect(transport);

const [early] = process.argv.slice(2);
if (early !== undefined) {
  const deliver = transport.onmessage;
  let met = false;
  transport.onmessage = (message) => {
    met ||= 'method' in message && message.method === 'initialize';
    if (met) deliver?.(message);
    else if (early === 'exits-early') process.exit(1);
  };
}
