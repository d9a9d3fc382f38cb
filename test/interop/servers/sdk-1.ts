/**
 * The server with the official SDK, version 1. Arguments simulate old servers: `exits-early` exits at a message before the
 * handshake, `ignores-early` does not respond to it. `http` and `sse` serve HTTP and print the URL.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  ListPromptsRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { InMemoryEventStore } from '../event-store.ts';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const subscribed = new Set<string>();
let aborted = 0;

function quay(): McpServer {
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
  server.registerTool('doze', {}, async ({ closeSSEStream }) => {
    closeSSEStream?.();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return text(closeSSEStream === undefined ? 'slept' : 'hung up and slept');
  });
  server.registerTool('aborted', {}, () => text(`${aborted}`));
  server.registerTool('fail', {}, () => {
    throw new Error('The crane is stuck');
  });
  server.registerTool('chatter', {}, async ({ sessionId }) => {
    await server.sendLoggingMessage({ level: 'debug', logger: 'quay', data: 'whisper' }, sessionId);
    await server.sendLoggingMessage({ level: 'warning', logger: 'quay', data: 'shout' }, sessionId);
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
  // The SDK returns every list as one page.
  server.server.setRequestHandler(ListPromptsRequestSchema, ({ params }) =>
    params?.cursor === undefined
      ? { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }], nextCursor: 'two' }
      : { prompts: [{ name: 'farewell' }] },
  );
  return server;
}

/** One server per session, as the SDK's documentation does it. */
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? sessions.get(id) : undefined;
  if (transport === undefined && id !== undefined) {
    response.writeHead(404).end();
    return;
  }
  if (transport === undefined) {
    const fresh = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new InMemoryEventStore(),
      retryInterval: 100,
      onsessioninitialized: (session) => void sessions.set(session, fresh),
    });
    transport = fresh;
    await quay().connect(fresh);
  }
  await transport.handleRequest(request, response);
}

const streams = new Map<string, SSEServerTransport>();

async function twoEndpoints(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '', 'http://localhost');
  const transport = streams.get(searchParams.get('sessionId') ?? '');
  if (request.method === 'GET') {
    const opened = new SSEServerTransport('/messages', response);
    streams.set(opened.sessionId, opened);
    await quay().connect(opened);
  } else if (transport === undefined) response.writeHead(request.url === '/messages' ? 404 : 405).end();
  else await transport.handlePostMessage(request, response);
}

async function overStdio(early: string | undefined): Promise<void> {
  const transport = new StdioServerTransport();
  await quay().connect(transport);
  if (early === undefined) return;
  const deliver = transport.onmessage;
  let met = false;
  transport.onmessage = (message) => {
    met ||= 'method' in message && message.method === 'initialize';
    if (met) deliver?.(message);
    else if (early === 'exits-early') process.exit(1);
  };
}

const [how] = process.argv.slice(2);
if (how === 'http' || how === 'sse') {
  const answer = how === 'http' ? streamable : twoEndpoints;
  const listener = createServer((request, response) => void answer(request, response));
  listener.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/${how === 'http' ? 'mcp' : 'sse'}`);
  });
} else await overStdio(how);
