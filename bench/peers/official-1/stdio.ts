/** The official SDK, version 1, over stdio. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quays } from './server.ts';

await quays(setup())().connect(new StdioServerTransport());
underTest('stdio');
