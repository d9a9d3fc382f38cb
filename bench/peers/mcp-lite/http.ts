/** mcp-lite over HTTP. It takes web requests; the adapter is the one its documentation comes with. */
import { getRequestListener } from '@hono/node-server';
import { InMemorySessionAdapter, StreamableHttpTransport } from 'mcp-lite';
import { setup } from '../../work.ts';
import { listen } from '../node-listener.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const told = setup();
const sessions = { sessionAdapter: new InMemorySessionAdapter({ maxEventBufferSize: 1_024 }) };
const handler = new StreamableHttpTransport(told.era === 'session' ? sessions : {}).bind(quay(told));
underTest(await listen(getRequestListener((request) => handler(request))));
