/** The official SDK, version 2, over its in-memory transport, or without a handshake through `fetch`. */
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { STATELESS_ERA } from '../../wire.ts';
import { SERVER, setup, textOf } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';
import { quays } from './server.ts';

const settings = setup();
const quay = quays(settings);

async function linked(): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await quay().connect(theirs);
  const client = new Client(SERVER);
  await client.connect(ours);
  return client;
}

async function handled(): Promise<Client> {
  const handler = createMcpHandler(() => quay());
  const fetch = (url: string | URL, init?: RequestInit): Promise<Response> => handler.fetch(new Request(url, init));
  const client = new Client(SERVER, { versionNegotiation: { mode: { pin: STATELESS_ERA } } });
  await client.connect(new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch }));
  return client;
}

const client = await (settings.era === 'session' ? linked() : handled());
memoryUnderTest(async (message) => textOf(await client.callTool({ name: 'echo', arguments: { message } })));
