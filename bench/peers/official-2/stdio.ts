/** The official SDK, version 2, over stdio. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quays } from './server.ts';

const told = setup();
const quay = quays(told);
if (told.era === 'stateless') serveStdio(quay);
else await quay().connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: told.room }));
underTest('stdio');
