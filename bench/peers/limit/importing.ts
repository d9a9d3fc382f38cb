/** Imports what it is told, and says what that cost: milliseconds of processor time, and of anybody's. */
import { setup } from '../../work.ts';
import { underTest, usage } from '../under-test.ts';

const used = usage();
const began = performance.now();
for (const module of setup().modules) await import(module);
underTest({ cost: (usage() - used) / 1_000, p50: performance.now() - began });
