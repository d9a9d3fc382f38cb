/** The official SDK, version 1, over HTTP: one server and one transport per session, or, without sessions, per request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';
import { quays } from './server.ts';

const settings = setup();
const quay = quays(settings);
const sessions = new Map<string, StreamableHTTPServerTransport>();

async function inSessions(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const known = typeof id === 'string' ? sessions.get(id) : undefined;
  if (known === undefined && id !== undefined) response.writeHead(404).end();
  else await (known ?? (await opened())).handleRequest(request, response);
}

async function opened(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: settings.json,
    maxRequestBodySize: settings.room,
    onsessioninitialized: (session) => void sessions.set(session, transport),
    onsessionclosed: (session) => void sessions.delete(session),
  });
  await quay().connect(transport as Transport); // its types do not know exactOptionalPropertyTypes
  return transport;
}

/** Stateless as its documentation says: nothing is shared between two requests. */
async function perRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const server = quay();
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: settings.json });
  response.once('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport as Transport); // as above
  await transport.handleRequest(request, response);
}

const answer = settings.era === 'stateless' ? perRequest : inSessions;
underTest(await listen((request, response) => void answer(request, response)));
