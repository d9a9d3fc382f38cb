/** A process that keeps Vitest loaded, and runs tests against one mutant after the other. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Plugin } from 'vite';
import { BaseSequencer, createVitest, type TestCase, type TestSpecification, type Vitest } from 'vitest/node';
import unit from '../../vitest.config.ts';
import { applyMutant, findMutants, insertProbes, type Mutant } from './mutants.ts';

/** Commands of the parent: first the reach of each test, then each mutant. */
export type Order =
  | { readonly kind: 'reach'; readonly file: string; readonly tests: readonly string[] }
  | { readonly kind: 'mutant'; readonly mutant: Mutant; readonly tests: Readonly<Record<string, readonly string[]>> };

/** One test, and the functions of the probed file that it enters. */
export interface Reach {
  readonly file: string;
  readonly id: string;
  readonly entered: readonly number[];
}

export type Outcome =
  | { readonly reached: readonly Reach[]; readonly failed: readonly string[] }
  | { readonly killedBy: string | undefined };

let swapped: { readonly path: string; readonly source: string } | undefined;

const swap: Plugin = {
  name: 'mutation-swap',
  enforce: 'pre',
  load: (id) => (swapped !== undefined && id === swapped.path ? swapped.source : undefined),
};

/** Nearest tests first: they most likely kill the mutant, and the first failure ends the run. */
class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return await Promise.resolve(files);
  }
}

async function start(): Promise<Vitest> {
  const { test: root } = unit;
  const project = root?.projects?.[0];
  if (typeof project !== 'object' || !('test' in project))
    throw new Error('vitest.config.ts has no unit project first');
  return await createVitest(
    'test',
    {
      ...project.test,
      config: false,
      watch: false,
      bail: 1,
      reporters: [{}],
      maxWorkers: 1,
      // Many mutants make a test hang.
      testTimeout: 20_000,
      hookTimeout: 20_000,
      sequence: { sequencer: AsGiven },
      silent: true,
      setupFiles: [join(import.meta.dirname, 'reach.ts')],
    },
    { plugins: [swap], logLevel: 'silent' },
  );
}

async function obey(order: Order): Promise<Outcome> {
  if (order.kind === 'mutant') return { killedBy: await killerOf(order.mutant, order.tests) };
  const source = readFileSync(order.file, 'utf8');
  const { functions } = findMutants(order.file, source);
  load(
    order.file,
    insertProbes(source, functions, (index) => `globalThis.mutationProbe?.(${index})`),
  );
  const { cases, failed } = await run(Object.fromEntries(order.tests.map((file) => [file, undefined])));
  const reached = cases.map((test): Reach => {
    const { entered = [], whileLoading = [] } = test.meta() as { entered?: number[]; whileLoading?: number[] };
    return { file: relative(test.module.moduleId), id: test.id, entered: [...new Set([...entered, ...whileLoading])] };
  });
  return { reached, failed };
}

async function killerOf(mutant: Mutant, tests: Readonly<Record<string, readonly string[]>>) {
  load(mutant.file, applyMutant(readFileSync(mutant.file, 'utf8'), mutant));
  return (await run(tests)).failed[0];
}

function load(file: string, source: string): void {
  if (swapped !== undefined) vitest.invalidateFile(swapped.path);
  swapped = { path: resolve(file), source };
  vitest.invalidateFile(swapped.path);
}

async function run(tests: Readonly<Record<string, readonly string[] | undefined>>) {
  // Failures of the previous mutant would count for this one.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const project = vitest.getRootProject();
  const specifications = Object.entries(tests).map(([file, ids]) =>
    project.createSpecification(resolve(file), ids === undefined ? undefined : { testIds: [...ids] }),
  );
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const cases = testModules.flatMap((module) => [...module.children.allTests()]);
  const failed = [
    ...cases.filter((test) => test.result().state === 'failed').map(nameOf),
    ...testModules.filter((module) => module.state() === 'failed').map((module) => relative(module.moduleId)),
    ...unhandledErrors.map((error) => `an error that nobody caught: ${String((error as Error).message)}`),
  ];
  return { cases: cases.filter((test) => test.result().state === 'passed'), failed };
}

function nameOf(test: TestCase): string {
  return `${relative(test.module.moduleId)} > ${test.fullName}`;
}

function relative(path: string): string {
  return path.replace(`${process.cwd()}/`, '');
}

const vitest = await start();
process.on('message', (order: Order) => {
  void obey(order).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
