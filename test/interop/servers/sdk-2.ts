/**
 * The server with the official SDK, version 2. Modes: `handshake` only, `both` (default of the SDK), `stateless` only, `http` with
 * the SDK's handler, and `http-sessions` with sessions. Over HTTP it prints its URL.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { InMemoryEventStore } from '../event-store.ts';

const text = (said: string) => ({ content: [{ type: 'text' as const, text: said }] });
const subscribed = new Set<string>();
let aborted = 0;
let grown = false;

/** If each request has its own server, `notifier` reaches subscribers. */
function quay(era: 'legacy' | 'modern', notifier?: () => ServerNotifier): McpServer {
  const server = new McpServer(
    { name: 'quay-sdk-2', version: '1.0.0', title: 'Quay' },
    {
      capabilities: { logging: {}, resources: { subscribe: true, listChanged: true } },
      instructions: 'Berth before you unload.',
    },
  );
  server.registerTool(
    'add',
    {
      description: 'Adds',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
  );
  const berths = ['north', 'south'];
  server.registerTool('berths', { outputSchema: z.array(z.string()) }, () => ({
    ...text(JSON.stringify(berths)),
    structuredContent: berths,
  }));
  server.registerTool('count', { inputSchema: z.object({ to: z.number().int() }) }, async ({ to }, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (let done = 1; done <= to && progressToken !== undefined; done++) {
      const params = { progressToken, progress: done, total: to, message: `${done} of ${to}` };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return text(`counted to ${to}`);
  });
  server.registerTool('wait', {}, async ({ mcpReq }) => {
    await new Promise((resolve) => mcpReq.signal.addEventListener('abort', resolve));
    aborted++;
    return text('nobody hears this');
  });
  server.registerTool('doze', {}, async ({ http }) => {
    http?.closeSSE?.();
    await new Promise((resolve) => setTimeout(resolve, 300));
    return text(http?.closeSSE === undefined ? 'slept' : 'hung up and slept');
  });
  server.registerTool('aborted', {}, () => text(`${aborted}`));
  server.registerTool('fail', {}, () => {
    throw new Error('The crane is stuck');
  });
  server.registerTool('chatter', {}, async ({ mcpReq }) => {
    await mcpReq.log('debug', 'whisper', 'quay');
    await mcpReq.log('warning', 'shout', 'quay');
    return text('said');
  });
  questions(server);
  const grow = () => server.registerTool('grown', {}, () => text('new here'));
  if (grown && notifier !== undefined) grow();
  server.registerTool('grow', {}, () => {
    grown = true;
    if (notifier === undefined) grow();
    else notifier().toolsChanged();
    return text('grown');
  });
  server.registerTool('touch', { inputSchema: z.object({ uri: z.string() }) }, async ({ uri }) => {
    if (notifier !== undefined) notifier().resourceUpdated(uri);
    else if (era === 'modern' || subscribed.has(uri)) await server.server.sendResourceUpdated({ uri });
    return text('touched');
  });
  readables(server);
  if (era === 'modern') return server;
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
  return server;
}

/** The SDK asks with a request in a session, and with a result otherwise. */
function questions(server: McpServer): void {
  server.registerTool('introduce', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'who');
    if (answer.kind === 'elicit') return text(JSON.stringify({ action: answer.action, content: answer.content }));
    const requestedSchema = z.object({ name: z.string().min(1), crew: z.number().int().min(1) });
    return inputRequired({
      inputRequests: { who: inputRequired.elicit({ message: 'Who is there?', requestedSchema }) },
      requestState: 'asked',
    });
  });
  server.registerTool('think', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'thought');
    if (answer.kind === 'sampling') {
      const [block] = [answer.result.content].flat();
      return text(`${answer.result.model}: ${block?.type === 'text' ? block.text : block?.type}`);
    }
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Which berth?' } }];
    return inputRequired({ inputRequests: { thought: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  });
  server.registerTool('folders', {}, ({ mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'open');
    if (answer.kind === 'roots') return text(answer.roots.map((root) => root.uri).join(' '));
    return inputRequired({ inputRequests: { open: inputRequired.listRoots() } });
  });
}

function readables(server: McpServer): void {
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
  server.registerPrompt('greet', { argsSchema: z.object({ who: z.string() }) }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Ahoy, ${who}!` } }],
  }));
  // The SDK returns every list as one page.
  server.server.setRequestHandler('prompts/list', ({ params }) =>
    params?.cursor === undefined
      ? { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }], nextCursor: 'two' }
      : { prompts: [{ name: 'farewell' }] },
  );
}

const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function inSessions(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? sessions.get(id) : undefined;
  if (transport === undefined && id !== undefined) {
    response.writeHead(404).end();
    return;
  }
  if (transport === undefined) {
    const fresh = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new InMemoryEventStore(),
      retryInterval: 100,
      onsessioninitialized: (session) => void sessions.set(session, fresh),
    });
    transport = fresh;
    await quay('legacy').connect(fresh);
  }
  await transport.handleRequest(request, response);
}

function listen(answer: RequestListener): void {
  const listener = createServer(answer);
  listener.listen(0, '127.0.0.1', () => {
    console.log(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
  });
}

const [how] = process.argv.slice(2);
if (how === 'http') {
  const handler = createMcpHandler(({ era }) => quay(era, () => handler.notify));
  const answer = toNodeHandler(handler);
  // Its type does not allow an optional property to be undefined.
  listen((request, response) => void answer(request as Parameters<typeof answer>[0], response));
} else if (how === 'http-sessions') listen((request, response) => void inSessions(request, response));
else if (how === 'handshake') await quay('legacy').connect(new StdioServerTransport());
else serveStdio(({ era }) => quay(era), { legacy: how === 'stateless' ? 'reject' : 'serve' });
