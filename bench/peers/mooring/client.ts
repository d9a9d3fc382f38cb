/** Mooring's client, over HTTP for a URL and over stdio for a command. */
import { connect } from 'mooring/client';
import { SESSION_ERA, STATELESS_ERA } from '../../wire.ts';
import { setup } from '../../work.ts';
import { clientUnderTest, type Echo } from '../client-under-test.ts';

const settings = setup();

async function open(server: string): Promise<Echo> {
  const revisions = [settings.era === 'session' ? SESSION_ERA : STATELESS_ERA];
  const args = [server, JSON.stringify({ era: settings.era })];
  const target = server.startsWith('http') ? server : { command: process.execPath, args };
  const client = await connect(target, { revisions });
  return async (message) => (await client.call('echo', { message })).text;
}

await clientUnderTest(settings, open);
