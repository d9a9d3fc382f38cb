/** Prints how many requirements of `ledger/` are proven, open or missing a test. `--check` fails, `--json` prints all. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { filesUnder } from './files.ts';
import { citations, type Judged, judge, type Open, prefix, type Requirement } from './requirements.ts';

// `| head` reads as much as it wants.
process.stdout.on('error', () => process.exit());

const levels = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'];

// The files are our own, and the fields are checked by test/arch/ledger.test.ts.
const requirements = ['base', 'features'].flatMap((name) => read(name) as Requirement[]);
const open = read('open') as Open[];
const tests = [
  ...['src', 'test'].flatMap((folder) => filesUnder(folder, '.test.ts')),
  ...['test/interop', 'examples'].flatMap((folder) => filesUnder(folder, '.ts')),
];
const cited = citations(new Map(tests.map((file) => [file, readFileSync(file, 'utf8')])));
const { judged, problems } = judge(requirements, cited.ids, open);
problems.unshift(...cited.problems);

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

/** One row per revision or prefix: proven of all, per level, and where the open ones go. */
function table(title: string, rows: readonly string[], belongs: (row: string, requirement: Judged) => boolean): void {
  const width = Math.max(...rows.map((row) => row.length)) + 2;
  console.log(line(title.padEnd(width), [...levels, 'missing'], 'open for issue'));
  for (const row of rows) {
    const mine = judged.filter((requirement) => belongs(row, requirement));
    const cells = levels.map((level) => fraction(mine.filter((requirement) => requirement.level === level)));
    const issues = [...new Set(mine.flatMap(({ issue }) => issue ?? []))].sort();
    const later = issues.map(
      (issue) => `${mine.filter((requirement) => requirement.issue === issue).length} → ${issue}`,
    );
    const missing = String(count(mine, 'missing') || '');
    console.log(line(row.padEnd(width), [...cells, missing], later.join(', ')));
  }
  console.log();
}

function line(title: string, cells: readonly string[], rest: string): string {
  return `${title}${cells.map((cell) => cell.padStart(11)).join('')}  ${rest}`.trimEnd();
}

function fraction(some: readonly Judged[]): string {
  return some.length === 0 ? '' : `${count(some, 'proven')}/${some.length}`;
}

function summary(): string {
  const [proven, later, missing] = (['proven', 'open', 'missing'] as const).map((state) => count(judged, state));
  // Duties of who writes a server or a host, which nothing but the documentation can fulfil.
  const pages = /^test\/arch\/(?:auth-|host-)?duties\.test\.ts$/;
  const told = judged.filter(({ citedBy }) => citedBy.length > 0 && citedBy.every((file) => pages.test(file))).length;
  return `${judged.length} requirements: ${proven} proven (${told} by documentation), ${later} open, ${missing} without a test.`;
}

function count(some: readonly Judged[], state: Judged['state']): number {
  return some.filter((requirement) => requirement.state === state).length;
}

function read(name: string): unknown {
  return parse(readFileSync(`ledger/${name}.yaml`, 'utf8'));
}
