/** fastmcp over HTTP, with its own listener. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const told = setup();
const server = quay(told);

/** It does not say which port it was given, so it gets one that was free a moment ago. */
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
    enableJsonResponse: told.json,
    stateless: told.era === 'stateless',
  },
});
underTest(`http://127.0.0.1:${port}/mcp`);
