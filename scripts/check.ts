/** `npm run check`: all steps that need no foreign processes. */
import { runSteps, type Step } from './steps.ts';

/** The package steps use the build, and the ledger uses the unit tests. */
const STEPS: readonly Step[] = [
  { script: 'build' },
  { script: 'lint' },
  { script: 'unit', after: 'build' },
  { script: 'types' },
  { script: 'dead-code' },
  { script: 'size', options: '--check', after: 'build' },
  { script: 'docs', options: '--check', after: 'build' },
  { script: 'api', options: '--check', after: 'build' },
  { script: 'package', after: 'build' },
  { script: 'ledger', options: '--check', after: 'unit' },
];

await runSteps(STEPS);
