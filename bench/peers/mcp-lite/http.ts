/** mcp-lite over HTTP. It takes web requests; the adapter is the one in its documentation. */
import { getRequestListener } from '@hono/node-server';
import { InMemorySessionAdapter, StreamableHttpTransport } from 'mcp-lite';
import { setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const settings = setup();
const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1_024 }) };
const handler = new StreamableHttpTransport(settings.era === 'session' ? sessions : {}).bind(quay(settings));
underTest(await listen(getRequestListener((request) => handler(request))));
