/** The process of a client and a server that are connected in memory. */
import type { Sample } from '../scenario.ts';
import { type Echo, measured } from './client-under-test.ts';
import { underTest } from './under-test.ts';

export const memoryUnderTest = (echo: Echo): void =>
  underTest('memory', { run: ({ ms }: { readonly ms: number }): Promise<Sample> => measured(echo, ms, 1) });
