/** Long lists, which are encoded once for all clients. */
import { expect, test } from 'vitest';
import { stateless } from '../../../test/support/http-messages.ts';
import { createServer, tool } from '../../index.ts';
import { serveHttp } from '../node.ts';
import { httpHandler } from './handler.ts';

const description = 'é日🌊'.repeat(4_000);
const server = createServer({
  name: 'quay',
  version: '1',
  parts: [tool({ name: 'moor', description, run: () => 'ok' })],
});

type Send = (url: string, init: RequestInit) => Promise<Response>;

async function listTwice(send: Send, url: string): Promise<void> {
  for (const id of [1, 'second']) {
    const { headers, body } = stateless('tools/list');
    const all = { accept: 'application/json', 'content-type': 'application/json', ...headers };
    const response = await send(url, { method: 'POST', headers: all, body: JSON.stringify({ ...body, id }) });
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('content-length') ?? `${bytes.length}`).toBe(`${bytes.length}`);
    const answer: unknown = JSON.parse(new TextDecoder().decode(bytes));
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, result: { tools: [{ name: 'moor', description }] } });
  }
}

test('a list of more than 16 kB arrives complete over node:http, every time', async () => {
  const served = await serveHttp(server, { port: 0 });
  try {
    await listTwice(fetch, served.url);
  } finally {
    await served.close();
  }
});

test('a list of more than 16 kB arrives complete as a web Response, every time', async () => {
  const handler = httpHandler(server, {});
  await listTwice((url, init) => handler(new Request(url, init)), 'http://localhost:3000/mcp');
});
