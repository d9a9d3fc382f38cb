/** `npm run check`: every step that needs no real processes of others. */
import { runSteps, type Step } from './steps.ts';

/** The package is packed and described as it was built, and the ledger counts the tests that ran. */
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
