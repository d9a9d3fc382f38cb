/** A Vitest reporter that stores which requirements the tests of each file cite, and whether those tests passed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { type Outcomes, readRun, runFile } from '../../scripts/runs.ts';
import { treeState } from '../../scripts/tree-state.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

export class CitationReport implements Reporter {
  /** The name, for test configurations without a project name. */
  readonly #name: string | undefined;
  #tree = '';
  #whole = true;

  constructor(name?: string) {
    this.#name = name;
  }

  onInit(vitest: Vitest): void {
    this.#tree = treeState(root);
    // With a name filter, skipped tests would seem to cite nothing.
    this.#whole = vitest.config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#whole) return;
    const nameOf = ({ project }: TestModule): string => this.#name ?? project.name;
    for (const project of new Set(modules.map(nameOf))) {
      const ended = modules.filter((one) => nameOf(one) === project && ['passed', 'failed'].includes(one.state()));
      const files = {
        ...readRun(project, this.#tree, root),
        ...Object.fromEntries(ended.map((module) => [relative(root, module.moduleId), outcomesOf(module)])),
      };
      mkdirSync(`${root}/.cache/citations`, { recursive: true });
      writeFileSync(runFile(project, root), JSON.stringify({ tree: this.#tree, files }));
    }
  }
}

function outcomesOf(module: TestModule): Outcomes {
  const outcomes: Record<string, 'passed' | 'failed'> = {};
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state !== 'passed' && state !== 'failed') continue;
    for (const id of test.meta().verifies ?? []) if (outcomes[id] !== 'failed') outcomes[id] = state;
  }
  return outcomes;
}
