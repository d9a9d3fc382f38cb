/** Writes the results file, the charts, and the generated parts of both READMEs. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { figures, isReadable, verdicts } from '../budgets.ts';
import type { Machine } from '../machine.ts';
import type { Effort, RowResult, ScenarioResult } from '../scenario.ts';
import { bars } from './bars.ts';
import { curve } from './curve.ts';
import { tables } from './table.ts';

export interface Run {
  readonly date: string;
  readonly effort: Effort;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly scenarios: readonly ScenarioResult[];
}

const here = fileURLToPath(new URL('..', import.meta.url));

/** The scenarios of each chart. */
const pictures: readonly (readonly [file: string, title: string, ids: readonly string[]])[] = [
  ['servers', 'Servers: processor time per call', ['http-session', 'http-stateless', 'stdio']],
  ['clients', 'Clients: processor time per call', ['client-http', 'client-stdio', 'in-memory']],
  [
    'work',
    'Lists, sessions, payloads, notifications, validation',
    ['tools-list', 'call-beside', 'session-churn', 'payload-http', 'payload-stdio', 'progress', 'listen', 'validation'],
  ],
  [
    'footprint',
    'Start, memory, function calls, size',
    [
      'cold-start',
      'import',
      'idle-session',
      'function-calls',
      'function-calls-stateless',
      'install-size',
      'bundle-size',
    ],
  ],
];

export function newestRun(): Run {
  const file = readdirSync(`${here}results`)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .at(-1);
  if (file === undefined) throw new Error('There are no results to keep. Run `npm run bench` without --keep.');
  return JSON.parse(readFileSync(`${here}results/${file}`, 'utf8')) as Run; // `write` wrote it
}

export function write(run: Run): void {
  const folder = `${here}results/`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${run.date.slice(0, 10)}.json`, `${JSON.stringify(run, null, 1)}\n`);
  const plain = run.scenarios.filter(({ over }) => over === undefined);
  const curves = run.scenarios.filter(({ over }) => over !== undefined);
  for (const [file, title, ids] of pictures) {
    const shown = plain.filter(({ id }) => ids.includes(id));
    writeFileSync(`${folder}${file}.svg`, bars(title, shown));
  }
  for (const one of curves) writeFileSync(`${folder}${one.id}.svg`, curve(one));
  const parts: readonly (readonly [string, string])[] = [
    ['facts', facts(run)],
    ['budgets', verdicts(plain)],
    ['results', tables(plain)],
    ['growth', curves.map((one) => `${tables([one])}\n![${one.title}](results/${one.id}.svg)\n`).join('\n')],
  ];
  fill(`${here}README.md`, parts);
  fill(`${here}../README.md`, [['figures', `${figures(plain, officialVersion(run))}\n${underLoad(run)}\n`]]);
}

export const officialVersion = ({ versions }: Pick<Run, 'versions'>): string =>
  versions['@modelcontextprotocol/server'] ?? '';

/** What 1 × means, the number of rounds, the days, and the load if all figures are of this run. */
export function underLoad({ date, machine: { cores, load }, scenarios }: Run): string {
  const shown = scenarios.filter(isReadable);
  const days = [...new Set(shown.map(({ day }) => day ?? date.slice(0, 10)))].toSorted();
  const rounds = Math.min(...shown.flatMap(({ rows }) => rows.flatMap(roundsOf)));
  const busy = shown.some(({ day }) => day !== undefined)
    ? ''
    : `, load ${load.map((one) => one.toFixed(1)).join(' to ')}`;
  return `1 × is a bare Node program that parses the message and answers it. Our worst and their best of ${rounds} interleaved rounds, ${days.join(' and ')}, ${cores} cores${busy}. [The benchmark](bench/README.md) has the range of every row, and the rows where others are ahead.`;
}

const roundsOf = ({ contenders }: RowResult): number[] => contenders.flatMap(({ rounds }) => rounds?.length ?? []);

function fill(file: string, parts: readonly (readonly [name: string, content: string])[]): void {
  writeFileSync(
    file,
    parts.reduce((text, [name, content]) => between(text, name, content), readFileSync(file, 'utf8')),
  );
}

function facts({ date, effort, machine, versions, scenarios }: Run): string {
  const { node, platform, processor, cores, memoryGb, load } = machine;
  const busy = load.map((one) => one.toFixed(1)).join(' at the start, ');
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const earlier = scenarios.flatMap(({ day, title }) => (day === undefined ? [] : [`${title} (${day})`]));
  const kept = earlier.length === 0 ? '' : `\nFrom earlier runs, possibly on another machine: ${earlier.join(', ')}.\n`;
  return `${date.slice(0, 10)}, Node ${node}, ${platform}, ${processor}, ${cores} cores, ${memoryGb} GB; ${effort.rounds} rounds of ${effort.roundMs} ms after ${effort.warmMs} ms or more of warm-up. Load average: ${busy} at the end.\n\n${named.join(', ')}.\n${kept}`;
}

function between(text: string, name: string, content: string): string {
  const begin = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`README.md has no place for ${name}: ${begin} … ${end}`);
  return `${before}${begin}\n\n${content}\n${end}${after}`;
}
