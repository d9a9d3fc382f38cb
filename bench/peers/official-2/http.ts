/** The official SDK, version 2, over HTTP: one server and transport per session, or its per-request handler. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';
import { quays } from './server.ts';

const settings = setup();
const quay = quays(settings);
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function inSessions(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (known === undefined && id !== undefined) response.writeHead(404).end();
  else await (known ?? (await opened())).handleRequest(request, response);
}

async function opened(): Promise<NodeStreamableHTTPServerTransport> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: settings.json,
    maxRequestBodySize: settings.room,
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  });
  await quay().connect(transport);
  return transport;
}

const handler = createMcpHandler(() => quay(), {
  maxSubscriptions: settings.listeners,
  maxRequestBodySize: settings.room,
});
const stateless = toNodeHandler(handler);
// Its type does not allow an optional property to be undefined.
const perRequest: RequestListener = (request, response) =>
  void stateless(request as Parameters<typeof stateless>[0], response);
const perSession: RequestListener = (request, response) => void inSessions(request, response);

const url = await listen(settings.era === 'stateless' ? perRequest : perSession);
underTest(url, { announce: () => handler.notify.toolsChanged() });
