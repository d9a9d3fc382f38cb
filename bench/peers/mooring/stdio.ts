/** Mooring over stdio. */
import { serveStdio } from 'mooring/stdio';
import { setup } from '../../work.ts';
import { underTest } from '../under-test.ts';
import { quay } from './server.ts';

const settings = setup();
const serving = serveStdio(quay(settings), { maxLineBytes: settings.room });
underTest('stdio');
await serving;
