/** fastmcp over HTTP, with its own listener. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const settings = setup();
const server = quay(settings);

/** fastmcp does not report the port it was given, so this finds a free one first. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('It listens on a port');
  return address.port;
}

const port = await freePort();
await server.start({
  transportType: 'httpStream',
  httpStream: {
    port,
    host: '127.0.0.1',
    endpoint: '/mcp',
    enableJsonResponse: settings.json,
    stateless: settings.era === 'stateless',
  },
});
underTest(`http://127.0.0.1:${port}/mcp`);
