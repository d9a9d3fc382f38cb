/** tmcp over stdio. */
import { StdioTransport } from '@tmcp/transport-stdio';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

new StdioTransport(quay(setup())).listen();
underTest('stdio');
