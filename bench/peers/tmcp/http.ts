/** tmcp over HTTP. It takes web requests; the adapter is the one that the official SDK uses too. */
import { getRequestListener } from '@hono/node-server';
import { HttpTransport } from '@tmcp/transport-http';
import { setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const server = quay(setup());
const transport = new HttpTransport(server, { path: '/mcp' });
const url = await listen(
  getRequestListener(async (request) => (await transport.respond(request)) ?? new Response(null, { status: 404 })),
);
underTest(url, { announce: () => server.changed('tools') });
