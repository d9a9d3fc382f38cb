/**
 * `npm run mutate [-- file …] [--sample 11 | --all] [--seed text] [--tests 16]`: mutates critical files, one change at a time,
 * and runs the unit tests that reach each. A survivor that `test/mutation/explained.yaml` does not explain fails the run.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { entryFor, explains, readExplained, staleEntries } from './explained.ts';
import { findMutants, type Mutant } from './mutants.ts';
import { importGraph, nearestTests } from './nearest-tests.ts';
import { pick } from './sample.ts';
import { guardedFiles } from './targets.ts';
import { Workshop } from './workshop.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '11' },
    all: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20261115' },
    tests: { type: 'string', default: '16' },
    verbose: { type: 'boolean', default: false },
  },
});
const files = positionals.length > 0 ? positionals : guardedFiles();
const importers = importGraph();
const explained = readExplained();
const survivors: Mutant[] = [];
const stale = explained
  .filter(({ file }) => !guardedFiles().includes(file))
  .map(({ file }) => `${file}: an explained mutant in a file that is not guarded`);
let killedInAll = 0;
let tried = 0;

console.log(values.all ? 'All mutants of each file.' : `${values.sample} mutants of each file, seed ${values.seed}.`);
const workshop = new Workshop();
try {
  for (const file of files) await judgeFile(file);
} finally {
  workshop.close();
}
report();

async function judgeFile(file: string): Promise<void> {
  const { mutants } = findMutants(file, readFileSync(file, 'utf8'));
  const chosen = values.all ? mutants : pick(mutants, Number(values.sample), `${values.seed}:${file}`);
  const tests = nearestTests(file, importers, Number(values.tests));
  const reached = await workshop.reach(file, tests);
  const killed = new Set<Mutant>();
  for (const mutant of chosen) {
    const killer = await workshop.killerOf(mutant, reached);
    if (killer !== undefined) killed.add(mutant);
    if (values.verbose) console.log(`  ${mutant.line} ${mutant.operator}: ${killer ?? 'SURVIVED'}`);
  }
  const alive = chosen.filter((mutant) => !killed.has(mutant));
  survivors.push(...alive);
  stale.push(
    ...staleEntries(
      explained.filter((entry) => entry.file === file),
      mutants,
      killed,
    ),
  );
  killedInAll += killed.size;
  tried += chosen.length;
  const open = alive.filter((mutant) => !explained.some((entry) => explains(entry, mutant)));
  console.log(`${killed.size}/${chosen.length} ${file}${notes(alive.length - open.length, open)}`);
}

function notes(known: number, open: readonly Mutant[]): string {
  const where = open.map(({ line, operator, original, replacement }) => {
    const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);
    return `\n    line ${line}, ${operator}: ${short(original)} -> ${short(replacement)}`;
  });
  return `${known > 0 ? ` (${known} survivors explained)` : ''}${where.join('')}`;
}

function report(): void {
  const open = survivors.filter((mutant) => !explained.some((entry) => explains(entry, mutant)));
  const percent = tried === 0 ? 100 : Math.floor((killedInAll / tried) * 1000) / 10;
  console.log(
    `${killedInAll} of ${tried} mutants killed (${percent} %), ${survivors.length - open.length} survivors explained.`,
  );
  if (open.length > 0) {
    console.log(`\nSurvivors. Write a test that kills each, or explain it in test/mutation/explained.yaml:\n`);
    console.log(open.map(entryFor).join('\n'));
    process.exitCode = 1;
  }
  if (stale.length > 0) {
    console.log(`\nRemove from test/mutation/explained.yaml:\n${stale.join('\n')}`);
    process.exitCode = 1;
  }
}
