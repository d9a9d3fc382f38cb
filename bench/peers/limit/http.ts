/** The limit over HTTP: reads, parses, looks up and answers, without anything else that a protocol needs. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { answer, checkWith, type Request, tools } from './answer.ts';

const { era, schema, tools: total, json } = setup();
const check = await checkWith(schema);
const sessions = new Set<string>();
const streams = new Map<ServerResponse, number | string>();
const listed = tools(total);
/** With `json` the list is serialized once, otherwise for each request. */
const ready = json ? Buffer.from(JSON.stringify({ tools: listed })).toString() : undefined;

const server = createServer((request, response) => {
  if (request.method === 'DELETE') {
    sessions.delete(String(request.headers['mcp-session-id']));
    response.writeHead(204).end();
    return;
  }
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const [only] = parts;
    const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
    respond(JSON.parse(bytes.toString()) as Request, request, response); // the bench sends nothing else
  });
});

function respond(message: Request, request: IncomingMessage, response: ServerResponse): void {
  const { id, method, params } = message;
  if (method === 'initialize') {
    const session = randomUUID();
    sessions.add(session);
    send(response, answer(message), { 'mcp-session-id': session });
  } else if (era === 'session' && !sessions.has(String(request.headers['mcp-session-id'])))
    response.writeHead(404).end();
  else if (id === undefined) response.writeHead(202).end();
  else if (method === 'subscriptions/listen') open(id, response);
  else if (method === 'tools/list' && ready !== undefined)
    send(response, `{"jsonrpc":"2.0","id":${id},"result":${ready}}`);
  else if (method === 'tools/list') send(response, JSON.stringify({ jsonrpc: '2.0', id, result: { tools: listed } }));
  else if (params?.name === 'count') progress(message, response);
  else send(response, answer(message, check));
}

function send(response: ServerResponse, body: string, more: Record<string, string> = {}): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...more };
  response.writeHead(200, headers).end(body);
}

const events = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** Writes each event as it happens. */
function progress(message: Request, response: ServerResponse): void {
  const { to = 0 } = message.params?.arguments ?? {};
  const progressToken = message.params?._meta?.progressToken;
  response.writeHead(200, events);
  for (let done = 1; done <= to; done++) {
    const params = { progressToken, progress: done, total: to };
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`);
  }
  response.end(`data: ${answer(message)}\n\n`);
}

function open(id: number | string, response: ServerResponse): void {
  streams.set(response, id);
  response.once('close', () => streams.delete(response));
  response.writeHead(200, events);
  response.write(`data: ${JSON.stringify(news('notifications/subscriptions/acknowledged', id))}\n\n`);
}

function announce(): void {
  for (const [response, id] of streams)
    response.write(`data: ${JSON.stringify(news('notifications/tools/list_changed', id))}\n\n`);
}

const news = (method: string, id: number | string): object => ({
  jsonrpc: '2.0',
  method,
  params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
});

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  underTest(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, { announce });
});
