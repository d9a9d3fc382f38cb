/** The command: runs scenarios, prints tables, and after a whole run writes results, charts and README. */
import { verdicts } from './budgets.ts';
import { loadNow, machine, versions } from './machine.ts';
import { help, optionsFrom } from './options.ts';
import { tables } from './report/table.ts';
import { newestRun, write } from './report/write.ts';
import { runScenario } from './rounds.ts';
import type { ScenarioResult } from './scenario.ts';
import { scenarios } from './scenarios/index.ts';
import { killAll } from './subject.ts';

const options = optionsFrom(process.argv.slice(2));
const ids = scenarios.map(({ id }) => id);
const unknown = options.only.filter((id) => !ids.includes(id));

function leave(): void {
  killAll();
  process.exit(130);
}

async function main(): Promise<number> {
  const loadBefore = loadNow();
  const began = performance.now();
  const say = (what: string): void => {
    console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
  };
  const results: ScenarioResult[] = [];
  for (const one of scenarios) {
    if (options.only.length > 0 && !options.only.includes(one.id)) continue;
    const { id, title, about, limit, over } = one;
    const rows = await one.run((made) => runScenario(made, options.effort, say));
    if (rows.length > 0) results.push({ id, title, about, limit, ...(over === undefined ? {} : { over }), rows });
  }
  const facts = { date: new Date().toISOString(), machine: machine(loadBefore), versions: versions() };
  const run = { ...facts, effort: options.effort, scenarios: results };
  console.log(options.json ? JSON.stringify(run, null, 1) : `${tables(results)}\n${verdicts(results)}`);
  if (options.keep) write({ ...run, scenarios: withKept(results) });
  else if (!options.effort.quick && options.only.length === 0) write(run);
  const failures = results.flatMap(({ id, rows }) =>
    rows.flatMap((row) =>
      row.contenders.flatMap(({ name, failed }) => (failed ? [`${id}/${row.id} ${name}: ${failed}`] : [])),
    ),
  );
  say(failures.length === 0 ? 'done' : `failed:\n${failures.join('\n')}`);
  return failures.length === 0 ? 0 : 1;
}

/** All scenarios in order: those of this run, and the others from the newest results. */
function withKept(results: readonly ScenarioResult[]): readonly ScenarioResult[] {
  const { date, scenarios: before } = newestRun();
  const kept = before.map((one) => ({ day: date.slice(0, 10), ...one }));
  return scenarios.flatMap(({ id, title, about }) => {
    const earlier = kept.find((one) => one.id === id);
    return results.find((one) => one.id === id) ?? (earlier ? { ...earlier, title, about } : []);
  });
}

process.once('SIGINT', leave).once('SIGTERM', leave);
if (options.help) console.log(help(ids));
else if (unknown.length > 0) {
  console.error(`Unknown scenario: ${unknown.join(', ')}. Choose from ${ids.join(', ')}.`);
  process.exitCode = 2;
} else process.exitCode = await main();
