/** Mooring over HTTP. One program serves both eras. */
import { tool } from 'mooring';
import { serveHttp } from 'mooring/node';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const settings = setup();
const server = quay(settings);
const { url } = await serveHttp(server, { port: 0, maxBodyBytes: settings.room });
const passing = tool({ name: 'passing', run: () => 'by' });

/** Adds or removes a tool. */
function announce(): void {
  if (!server.remove('passing')) server.add(passing);
}

underTest(url, { announce });
