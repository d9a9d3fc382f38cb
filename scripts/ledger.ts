/**
 * Prints which requirements of `ledger/` are proven by passing tests of the current source, documented, open or missing.
 * `--check` fails if unit tests lack proofs, `--check --all` if any tests do. `--json` prints every row; `--write` updates the
 * counts in README.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { filesUnder } from './files.ts';
import { ledgerSentence, withSentence } from './ledger-sentence.ts';
import {
  citations,
  type Judged,
  judge,
  type NotOurs,
  type Open,
  prefix,
  type Requirement,
  type State,
} from './requirements.ts';
import { PROJECTS, type Project, projectsOf, type Run, readRun } from './runs.ts';
import { treeState } from './tree-state.ts';

// A closed pipe, as in `| head`, is not an error.
process.stdout.on('error', () => process.exit());

const levels = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'];

// test/arch/ledger.test.ts checks the fields of these files.
const requirements = ['base', 'features'].flatMap((name) => read(name) as Requirement[]);
const open = read('open') as Open[];
const tests = ['src', 'test'].flatMap((folder) => filesUnder(folder, '.test.ts'));
const cited = citations(new Map(tests.map((file) => [file, readFileSync(file, 'utf8')])));
const tree = treeState();
const runs = new Map<Project, Run>();
for (const project of PROJECTS) {
  const run = readRun(project, tree);
  if (run !== undefined) runs.set(project, run);
}
const demanded: readonly Project[] = process.argv.includes('--all') ? PROJECTS : ['unit'];
const { judged, problems } = judge({
  requirements,
  cited: cited.ids,
  runs,
  demanded,
  open,
  notOurs: read('not-ours') as NotOurs[],
});
problems.unshift(...cited.problems);

const readme = readFileSync('README.md', 'utf8');
const renewed = withSentence(readme, ledgerSentence(judged));
if (process.argv.includes('--write')) writeFileSync('README.md', renewed);
else if (readme !== renewed)
  problems.push('README.md has other counts than the ledger; run `npm run ledger -- --write`');

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ requirements: judged, problems }, null, 2));
} else if (process.argv.includes('--check')) {
  if (problems.length > 0) {
    console.error(`${problems.join('\n')}\nThe ledger does not add up: ${problems.length} lines above say what to do.`);
    process.exitCode = 1;
  }
  console.log(summary());
} else {
  const revisions = [...new Set(judged.flatMap(({ revs }) => revs))];
  table('revision', [...revisions, 'all'], (row, { revs }) => row === 'all' || revs.includes(row));
  table('prefix', [...new Set(judged.map(({ id }) => prefix(id)))], (row, { id }) => prefix(id) === row);
  console.log(summary());
}

/** One row per revision or prefix: proven requirements per level, and where the others are. */
function table(title: string, rows: readonly string[], belongs: (row: string, requirement: Judged) => boolean): void {
  const width = Math.max(...rows.map((row) => row.length)) + 2;
  console.log(line(title.padEnd(width), [...levels, 'by docs', 'not run', 'missing', 'not ours'], 'open for issue'));
  for (const row of rows) {
    const mine = judged.filter((requirement) => belongs(row, requirement));
    const cells = levels.map((level) => fraction(mine.filter((requirement) => requirement.level === level)));
    const issues = [...new Set(mine.flatMap(({ issue }) => issue ?? []))].sort();
    const later = issues.map(
      (issue) => `${mine.filter((requirement) => requirement.issue === issue).length} → ${issue}`,
    );
    const others = (['documented', 'elsewhere', 'missing', 'not ours'] as const).map((state) =>
      String(count(mine, state) || ''),
    );
    console.log(line(row.padEnd(width), [...cells, ...others], later.join(', ')));
  }
  console.log();
}

function line(title: string, cells: readonly string[], rest: string): string {
  return `${title}${cells.map((cell) => cell.padStart(11)).join('')}  ${rest}`.trimEnd();
}

function fraction(some: readonly Judged[]): string {
  const ours = some.length - count(some, 'not ours');
  return ours === 0 ? '' : `${count(some, 'proven')}/${ours}`;
}

function summary(): string {
  const [proven = 0, documented, elsewhere = 0, later, missing, others = 0] = (
    ['proven', 'documented', 'elsewhere', 'open', 'missing', 'not ours'] as const
  ).map((state) => count(judged, state));
  return [
    `${judged.length - others} requirements: ${proven} proven by tests that ran and passed, ${documented} by documentation, ${later} open, ${missing} without a test.`,
    ...(elsewhere > 0 ? [`${elsewhere} more are cited by tests that did not run here: ${waiting().join(', ')}.`] : []),
    `${others} more are not ours (ledger/not-ours.yaml). Tests that ran at this state of the tree: ${[...runs.keys()].join(', ') || 'none'}.`,
  ].join('\n');
}

/** The projects with tests for requirements that are not proven yet. */
function waiting(): Project[] {
  const files = judged.filter(({ state }) => state === 'elsewhere').flatMap(({ citedBy }) => citedBy);
  return PROJECTS.filter((project) =>
    files.some((file) => projectsOf(file).includes(project) && runs.get(project)?.[file] === undefined),
  );
}

function count(some: readonly Judged[], state: State): number {
  return some.filter((requirement) => requirement.state === state).length;
}

function read(name: string): unknown {
  return parse(readFileSync(`ledger/${name}.yaml`, 'utf8'));
}
