/** A handwritten server for clients under test; `json` sets the response format. It is not measured. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';
import type { Request } from './answer.ts';
import { canned } from './canned.ts';

const { era, json } = setup();

function respond(text: string, response: ServerResponse): void {
  const message = JSON.parse(text) as Request; // clients send nothing else
  if (message.id === undefined) response.writeHead(202).end();
  else {
    const body = canned(message, era);
    const session = message.method === 'initialize' ? { 'mcp-session-id': randomUUID() } : {};
    const events = !json && message.method === 'tools/call';
    const type = events ? 'text/event-stream' : 'application/json';
    const refused = message.method === 'server/discover' && era === 'session';
    response.writeHead(refused ? 400 : 200, { 'content-type': type, ...session });
    response.end(events ? `event: message\ndata: ${body}\n\n` : body);
  }
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 204 : 405).end();
    return;
  }
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  request.on('end', () => respond(text, response));
}

underTest(await listen(answer));
