/**
 * Tests that fail are tried a second time in `npm run check` and `npm test`, because a busy machine can interrupt a test anywhere. A test
 * that passes then is named at the end of the run: it has a defect that someone has to mend.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule } from 'vitest/node';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Set by the scripts that run all steps. A run of one step shows each failure. */
export const RETRIES: number = process.env['SECOND_TRY'] === '1' ? 1 : 0;

/** The start of a line that names such a test. */
export const SECOND_TRY = 'passed only at the second try: ';

export class SecondTryReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky === true)
          console.log(`${SECOND_TRY}${relative(root, module.moduleId)} › ${test.fullName}`);
  }
}
