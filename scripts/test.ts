/** What `npm test` runs after `npm run check`: real processes, browsers, and what others wrote. */
import { runSteps, type Step } from './steps.ts';

/** The longest first. What compiles or downloads beside what computes. */
const STEPS: readonly Step[] = [
  { script: 'test:e2e' },
  { script: 'examples' },
  { script: 'pages' },
  { script: 'test:every' },
  { script: 'conformance' },
  { script: 'browser' },
  { script: 'workbench' },
  { script: 'interop' },
  { script: 'stores' },
  // After `stores`: both install the same packages, into the same folder.
  { script: 'chaos', options: '--short', after: 'stores' },
  { script: 'runtime' },
  { script: 'picture', options: '--check' },
];

await runSteps(STEPS);
