/** The limit of a gateway: parses each message in both directions and forwards it over persistent connections. */
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';

const upstream = new URL(setup().servers['upstream'] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
/** The request headers that are forwarded. */
const passed = ['accept', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

function collect(from: IncomingMessage, done: (text: string) => void): void {
  const parts: Buffer[] = [];
  from.on('data', (part: Buffer) => parts.push(part));
  from.on('end', () => done(Buffer.concat(parts).toString()));
}

function forward(from: IncomingMessage, to: ServerResponse, body: string): void {
  const headers: Record<string, string | number> = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  for (const name of passed) {
    const value = from.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const out = send(upstream, { method: 'POST', agent, headers }, (answer) =>
    collect(answer, (text) => {
      const type = answer.headers['content-type'] ?? '';
      const again = type.startsWith('application/json') ? JSON.stringify(JSON.parse(text)) : text;
      const session = answer.headers['mcp-session-id'];
      const more = typeof session === 'string' ? { 'mcp-session-id': session } : {};
      const length = { 'content-length': Buffer.byteLength(again) };
      to.writeHead(answer.statusCode ?? 500, { ...(type === '' ? {} : { 'content-type': type }), ...length, ...more });
      to.end(again);
    }),
  );
  out.on('error', () => to.writeHead(502).end());
  out.end(body);
}

const server = createServer((request, response) =>
  collect(request, (text) => forward(request, response, JSON.stringify(JSON.parse(text)))),
);
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => underTest(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`));
