/** Mooring's client connected to its server in the same process. */
import { connect } from 'mooring/client';
import { SESSION_ERA, STATELESS_ERA } from '../../wire.ts';
import { setup } from '../../work.ts';
import { memoryUnderTest } from '../memory-under-test.ts';
import { quay } from './server.ts';

const settings = setup();
const client = await connect(quay(settings), { revisions: [settings.era === 'session' ? SESSION_ERA : STATELESS_ERA] });
memoryUnderTest(async (message) => (await client.call('echo', { message })).text);
