/** fastmcp over stdio. */
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

await quay(setup()).start({ transportType: 'stdio' });
underTest('stdio');
