/** Imports the modules of the setup, and reports processor time and wall time in milliseconds. */
import { setup } from '../../work.ts';
import { underTest, usage } from '../under-test.ts';

const used = usage();
const began = performance.now();
for (const module of setup().modules) await import(module);
underTest({ cost: (usage() - used) / 1_000, p50: performance.now() - began });
