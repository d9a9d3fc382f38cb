/** What `npm test` runs after `npm run check`: real processes, browsers, and other implementations. */
import { runSteps, type Step } from './steps.ts';

/** The longest first; downloads and compilers alternate with computation. */
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
  // After `stores`, because both install the same packages in the same folder.
  { script: 'chaos', options: '--short', after: 'stores' },
  { script: 'runtime' },
  { script: 'picture', options: '--check' },
];

await runSteps(STEPS);
