/** The client of the official SDK, version 2. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SESSION_ERA, STATELESS_ERA } from '../../wire.ts';
import { SERVER, setup, textOf } from '../../work.ts';
import { clientUnderTest, type Echo } from '../client-under-test.ts';

const settings = setup();

async function open(server: string): Promise<Echo> {
  const client = new Client(
    SERVER,
    settings.era === 'session'
      ? { supportedProtocolVersions: [SESSION_ERA], versionNegotiation: { mode: 'legacy' } }
      : { versionNegotiation: { mode: { pin: STATELESS_ERA } } },
  );
  const args = [server, JSON.stringify({ era: settings.era })];
  await client.connect(
    server.startsWith('http')
      ? new StreamableHTTPClientTransport(new URL(server))
      : new StdioClientTransport({ command: process.execPath, args }),
  );
  return async (message) => textOf(await client.callTool({ name: 'echo', arguments: { message } }));
}

await clientUnderTest(settings, open);
