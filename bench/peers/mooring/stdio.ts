/** Mooring over stdio. */
import { serveStdio } from 'mooring/stdio';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const told = setup();
const serving = serveStdio(quay(told), { maxLineBytes: told.room });
underTest('stdio');
await serving;
