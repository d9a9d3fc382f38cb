/** Mooring over HTTP. One program for both eras: the request says which. */
import { tool } from 'mooring';
import { serveHttp } from 'mooring/node';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const told = setup();
const server = quay(told);
const { url } = await serveHttp(server, { port: 0, maxBodyBytes: told.room });
const passing = tool({ name: 'passing', run: () => 'by' });

/** One piece of news: a tool comes, or it goes. */
function announce(): void {
  if (!server.remove('passing')) server.add(passing);
}

underTest(url, { announce });
