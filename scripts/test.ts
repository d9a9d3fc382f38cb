/** What `npm test` runs after `npm run check`: real processes, browsers, and what others wrote. */
import { runSteps, type Step } from './steps.ts';

/** The longest first. What compiles or downloads beside what computes. */
const STEPS: readonly Step[] = [
  { script: 'test:e2e' },
  { script: 'workbench' },
  { script: 'conformance' },
  { script: 'examples' },
  { script: 'pages' },
  { script: 'test:every' },
  { script: 'browser' },
  { script: 'stores' },
  { script: 'interop' },
  // After `stores`: both install the same packages, into the same folder.
  { script: 'chaos', options: '--short', after: 'stores' },
  { script: 'runtime' },
  { script: 'picture', options: '--check' },
];

await runSteps(STEPS);
