/**
 * The official conformance suite against our everything-server and our everything-client, in every set it has:
 *
 *   npm run conformance
 *
 * Exit code 1 on a failure or a warning that expected-failures.yml does not name, and on an entry there that is stale.
 */
import { fileURLToPath } from 'node:url';
import { covers, type Expectation, type Role, readExpectations } from './expected.ts';
import { bundlePrograms, clientCommand, startServer } from './programs.ts';
import { type Run, runAlone, runSet, type ScenarioResult } from './suite.ts';

interface Row {
  readonly set: string;
  readonly role: Role;
  readonly run: Run;
}

const began = performance.now();
const expectations = readExpectations(fileURLToPath(new URL('expected-failures.yml', import.meta.url)));
const met = new Set<Expectation>();
const stale = new Set<Expectation>();
const surprises: string[] = [];
const table: string[][] = [['set', 'role', 'scored', 'all', 'expected to fail', 'warnings', 'surprises']];

await bundlePrograms();
await serverSets();
await clientSets();
report();

async function serverSets(): Promise<void> {
  const server = await startServer();
  const sets: readonly (readonly [string, readonly string[]])[] = [
    ['2025-11-25', ['--requirements', '2025-11-25']],
    ['2026-07-28', ['--requirements', '2026-07-28']],
    ['all', ['--suite', 'all']],
    ['all at 2025-03-26', ['--suite', 'all', '--spec-version', '2025-03-26']],
    ['all at 2025-06-18', ['--suite', 'all', '--spec-version', '2025-06-18']],
  ];
  try {
    for (const [set, args] of sets) {
      judge({ set, role: 'server', run: await runSet(`server ${set}`, ['server', '--url', server.url, ...args]) });
    }
    if (server.complaints() !== '') surprises.push(`server: it wrote to its error stream:\n${server.complaints()}`);
  } finally {
    await server.stop();
  }
}

async function clientSets(): Promise<void> {
  const command = ['client', '--command', clientCommand, '--timeout', '120000'];
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const run = await runSet(`client ${revision}`, [...command, '--requirements', revision]);
    judge({ set: revision, role: 'client', run });
    judge({ set: `${revision}, one by one`, role: 'client', run: await oneByOne(run, revision) });
  }
  judge({ set: 'all', role: 'client', run: await runSet('client all', [...command, '--suite', 'all']) });
}

/** Strictly: each scenario alone, where warnings, exit codes and timeouts count. Those that are expected to fail may rest. */
async function oneByOne({ scenarios }: Run, revision: string): Promise<Run> {
  const results: ScenarioResult[] = [];
  for (const { scenario } of scenarios) {
    if (expectations.client.some((one) => covers(one, scenario))) continue;
    const { scenarios: alone, exitCode } = await runAlone(scenario, revision, clientCommand);
    for (const result of alone)
      results.push(exitCode === 0 ? result : { ...result, failed: Math.max(1, result.failed) });
  }
  return { scenarios: results, exitCode: 0, output: '' };
}

/** A scenario passes when something in it succeeded, nothing failed, and nothing was warned about. */
function judge({ set, role, run }: Row): void {
  const passed: ScenarioResult[] = [];
  let excused = 0;
  const before = surprises.length;
  for (const result of run.scenarios) {
    const expectation = expectations[role].find((one) => covers(one, result.scenario));
    const holds = result.failed === 0 && result.warnings === 0 && result.passed > 0;
    if (holds) passed.push(result);
    if (expectation === undefined) {
      if (!holds) surprises.push(`${role} ${set}: ${result.scenario}\n    ${result.notes.join('\n    ')}`);
    } else if (holds) stale.add(expectation);
    else {
      excused++;
      met.add(expectation);
    }
  }
  const warnings = run.scenarios.reduce((sum, one) => sum + one.warnings, 0);
  const scored = run.scenarios.filter((one) => one.scored === true).length;
  const score = scored === 0 ? '' : `${passed.filter((one) => one.scored === true).length}/${scored}`;
  const all = `${passed.length}/${run.scenarios.length}`;
  const surprising = surprises.length - before;
  table.push([set, role, score, all, String(excused), String(warnings), String(surprising)]);
  console.log(`${role} ${set}: ${all} passed, ${excused} expected to fail, ${surprising} surprises`);
}

function report(): void {
  const all = [...expectations.server, ...expectations.client];
  for (const one of all) {
    // An entry for many scenarios holds for as long as one of them fails.
    if (met.has(one)) continue;
    const what = stale.has(one) ? 'passes now' : 'is in no set';
    surprises.push(`expected-failures.yml: "${one.scenario}" ${what}; take it off the list`);
  }
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  console.log();
  for (const row of table) console.log(`| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  console.log();
  for (const issue of [...new Set(all.map((one) => one.issue))]) {
    const lifted = all.filter((one) => one.issue === issue && met.has(one)).map((one) => one.scenario);
    console.log(`Issue ${issue} lifts ${lifted.join(', ')}`);
  }
  for (const surprise of surprises) console.log(`\nSURPRISE ${surprise}`);
  console.log(`\n${surprises.length} surprises, in ${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = surprises.length === 0 ? 0 : 1;
}
