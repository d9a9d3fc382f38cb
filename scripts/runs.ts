/** Reads the results that test runs store for the ledger. */
import { existsSync, readFileSync } from 'node:fs';

/** By id: `failed` if any citing test failed. */
export type Outcomes = Readonly<Record<string, 'passed' | 'failed'>>;

/** The test files of one project, with their citations. */
export type Run = Readonly<Record<string, Outcomes>>;

export const PROJECTS = ['unit', 'every', 'e2e', 'interop', 'stores', 'browser'] as const;
export type Project = (typeof PROJECTS)[number];

/** The command for each project. */
export const COMMANDS: Readonly<Record<Project, string>> = {
  unit: 'npm run unit',
  every: 'npm run test:every',
  e2e: 'npm run test:e2e',
  interop: 'npm run interop',
  stores: 'npm run stores',
  browser: 'npm run browser',
};

/**
 * Tests that start processes or try thousands of random values. They run in `npm test`, not in `npm run check`.
 * Tests of security checks must not be listed here.
 */
export const LONG_TESTS: readonly string[] = [
  ...['doctor', 'hostile-text', 'lock', 'partial-offer', 'record', 'servers', 'skills', 'workbench'].map(
    (name) => `src/cli/commands/${name}.test.ts`,
  ),
  'src/client/tasks/hostile-tasks.test.ts',
  'src/gateway/bridge/carry-fuzz.test.ts',
  'src/gateway/bridge/waiting-call-model.test.ts',
  'src/host/config/config.test.ts',
  'src/host/config/formats.test.ts',
  'src/model/uri-template.test.ts',
  'src/workbench/screens.test.ts',
  'src/workbench/workbench.test.ts',
  'test/arch/package.test.ts',
  ...['gateway-pairs', 'gateway-traffic', 'host-tasks', 'host-views-property', 'tasks'].map(
    (name) => `test/features/${name}.test.ts`,
  ),
];

/** The projects that run a file. */
export function projectsOf(file: string): readonly Project[] {
  if (LONG_TESTS.includes(file)) return ['every'];
  if (file.startsWith('test/e2e/')) return ['e2e'];
  if (file.startsWith('test/interop/')) return ['interop'];
  if (file.startsWith('test/stores/')) return ['stores'];
  if (file.startsWith('test/browser/')) return ['browser'];
  return /^test\/(features|conformance)\//.test(file) ? ['unit', 'every'] : ['unit'];
}

export function runFile(project: string, root = '.'): string {
  return `${root}/.cache/citations/${project}.json`;
}

/** The stored run, if it is of the current source. */
export function readRun(project: string, tree: string, root = '.'): Run | undefined {
  const file = runFile(project, root);
  if (!existsSync(file)) return undefined;
  const kept = JSON.parse(readFileSync(file, 'utf8')) as { tree: string; files: Run }; // the reporter wrote it
  return kept.tree === tree ? kept.files : undefined;
}
