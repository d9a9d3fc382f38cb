/** The official SDK, version 2, over stdio. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quays } from './server.ts';

const settings = setup();
const quay = quays(settings);
if (settings.era === 'stateless') serveStdio(quay);
else await quay().connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: settings.room }));
underTest('stdio');
