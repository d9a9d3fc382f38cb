/** Profiles one contender in one row: `npm --prefix bench run profile -- <scenario> <row> [contender]`. */
import type { Spent } from './peers/inspecting.ts';
import type { AnyScenario } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';
import { killAll, Subject } from './subject.ts';

const WARM_MS = 3_000;
const MEASURE_MS = 4_000;
const TOP = 15;

const [id = '', rowId = '', who = 'Mooring'] = process.argv.slice(2);

function leave(): void {
  killAll();
  process.exit(130);
}

/** The functions with the most self time. */
async function profiled(chosen: AnyScenario): Promise<Spent[]> {
  let spent: Spent[] = [];
  await chosen.run(async (made) => {
    const row = made.rows.find((one) => one.id === rowId) ?? made.rows[0];
    const contender = made.contenders.find(({ name }) => name === who);
    if (row === undefined || contender === undefined)
      throw new Error(
        `Choose from ${made.rows.map((one) => one.id)}, and from ${made.contenders.map(({ name }) => name)}`,
      );
    await using subject = await contender.open();
    const under = 'process' in subject ? subject.process : undefined;
    if (!(under instanceof Subject))
      throw new Error('This scenario starts its processes anew; there is none to look into');
    await row.measure(subject, WARM_MS);
    await under.ask('startProfile');
    const { cost } = await row.measure(subject, MEASURE_MS);
    spent = await under.ask<Spent[]>('profile');
    console.log(`${made.id}/${row.id} ${who}: ${cost.toFixed(1)} ${row.unit} with the profiler on`);
    return [];
  });
  return spent;
}

/** The path from the name of the package on. */
function place({ url, line }: Spent): string {
  if (url === '') return 'V8';
  const short = url.replace(/^.*\/(?:node_modules|\.cache\/bench|\.cache)\//, '');
  return `${short}:${line}`;
}

function print(spent: readonly Spent[]): void {
  const busy = spent.filter(({ name }) => name !== '(idle)');
  const total = busy.reduce((sum, { self }) => sum + self, 0);
  const share = (self: number): string => `${((100 * self) / total).toFixed(1).padStart(5)} %`;
  for (const one of busy.toSorted((a, b) => b.self - a.self).slice(0, TOP))
    console.log(`${share(one.self)}  ${one.name || '(anonymous)'}  ${place(one)}`);
  const owners = new Map<string, number>();
  for (const one of busy) {
    const owner = ownerOf(one);
    owners.set(owner, (owners.get(owner) ?? 0) + one.self);
  }
  console.log('\nby owner:');
  for (const [owner, self] of [...owners].toSorted((a, b) => b[1] - a[1])) console.log(`${share(self)}  ${owner}`);
}

function ownerOf({ url, name }: Spent): string {
  if (url === '') return name.startsWith('(') ? name : 'V8';
  if (url.startsWith('node:')) return 'Node';
  if (url.includes('/.cache/bench/')) return 'Mooring';
  return url.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? 'the program';
}

process.once('SIGINT', leave).once('SIGTERM', leave);
const chosen = scenarios.find((one) => one.id === id);
if (chosen === undefined) {
  console.error(
    `npm --prefix bench run profile -- <scenario> <row> [contender]\nScenarios: ${scenarios.map((one) => one.id).join(', ')}`,
  );
  process.exitCode = 2;
} else print(await profiled(chosen));
