/** The official SDK, version 1, over stdio. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quays } from './server.ts';

const settings = setup();
const transport = new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: settings.room });
await quays(settings)().connect(transport);
underTest('stdio');
