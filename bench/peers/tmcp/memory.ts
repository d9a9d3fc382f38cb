/** tmcp's transport for tests, which passes objects and validates nothing in the client. */
import { InMemoryTransport } from '@tmcp/transport-in-memory';
import { SESSION_ERA } from '../../wire.ts';
import { SERVER, setup, textOf } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';
import { quay } from './server.ts';

const session = new InMemoryTransport(quay(setup())).session();
await session.initialize(SESSION_ERA, {}, SERVER);
memoryUnderTest(async (message) => textOf(await session.callTool('echo', { message })));
