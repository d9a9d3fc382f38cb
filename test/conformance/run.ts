/**
 * The official conformance suite against our everything-server, the same behind a gateway, and our everything-client:
 *
 *   npm run conformance
 *
 * Exit code 1 for a failure or a warning that expected-failures.yml does not list, and for an entry there that is obsolete.
 */
import { fileURLToPath } from 'node:url';
import { type Role, readExpectations } from './expected.ts';
import { openGate } from './gate.ts';
import { Judge } from './judge.ts';
import { bundlePrograms, clientCommand, type RunningServer, startGateway, startServer } from './programs.ts';
import { runAlone, runSet, type ScenarioResult } from './suite.ts';

const began = performance.now();
const expectations = readExpectations(fileURLToPath(new URL('expected-failures.yml', import.meta.url)));
const judge = new Judge(expectations);

await bundlePrograms();
// In parallel, because both mostly wait for the suite.
const ended = await Promise.allSettled([serverSets(), clientSets()]);
for (const set of ended) if (set.status === 'rejected') throw set.reason;
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
      tell(set, 'server', await runSet(`server ${set}`, ['server', '--url', server.url, ...args]));
    }
    await gatewaySets(server);
    const complaints = server.complaints();
    if (complaints !== '') judge.surprises.push(`server: it wrote to its error stream:\n${complaints}`);
  } finally {
    await server.stop();
  }
}

/** The same server behind a gateway, where the results must be the same, except for features that gateways do not forward. */
async function gatewaySets(server: RunningServer): Promise<void> {
  const gateway = await startGateway(server);
  try {
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const args = ['server', '--url', gateway.url, '--requirements', revision];
      tell(revision, 'gateway', await runSet(`gateway ${revision}`, args));
    }
    const complaints = gateway.complaints();
    if (complaints !== '') judge.surprises.push(`gateway: it wrote to its error stream:\n${complaints}`);
  } finally {
    await gateway.stop();
  }
}

async function clientSets(): Promise<void> {
  await using gate = await openGate();
  const program = clientCommand(gate);
  const command = ['client', '--command', program, '--timeout', '120000'];
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const results = await runSet(`client ${revision}`, [...command, '--requirements', revision]);
    tell(revision, 'client', results);
    tell(`${revision}, one by one`, 'client', await oneByOne(results, revision, program));
  }
  tell('all', 'client', await runSet('client all', [...command, '--suite', 'all']));
  // Scenarios outside of requirement sets: extensions, and compatibility with older revisions.
  const others: readonly (readonly [string, readonly string[]])[] = [
    ['extensions', ['2025-11-25', '2026-07-28']],
    ['backcompat', ['2025-03-26']],
  ];
  for (const [suite, revisions] of others) {
    const results = await runSet(`client ${suite}`, [...command, '--suite', suite]);
    for (const revision of revisions)
      tell(`${suite} at ${revision}, one by one`, 'client', await oneByOne(results, revision, program));
  }
}

/** Runs each scenario alone, so that exit codes and timeouts count. Skips those that can fail. */
async function oneByOne(
  results: readonly ScenarioResult[],
  revision: string,
  program: string,
): Promise<readonly ScenarioResult[]> {
  const strict: ScenarioResult[] = [];
  for (const { scenario } of results) {
    if (!judge.excuses('client', scenario)) strict.push(await runAlone(scenario, revision, program));
  }
  return strict;
}

function tell(set: string, role: Role, results: readonly ScenarioResult[]): void {
  const { all, excused, surprises } = judge.hear(set, role, results);
  console.log(`${role} ${set}: ${all} passed, ${excused} expected to fail, ${surprises} surprises`);
}

function report(): void {
  judge.finish();
  const { rows, surprises } = judge;
  const table = [
    ['set', 'role', 'scored', 'all', 'expected to fail', 'warnings', 'surprises'],
    ...rows.map((row) => Object.values(row).map(String)),
  ];
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  console.log();
  for (const row of table) console.log(`| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`);
  console.log();
  for (const { scenario, issue, why } of Object.values(expectations).flat()) {
    console.log(`${scenario} waits for issue "${issue}": ${why}`);
  }
  for (const surprise of surprises) console.log(`\nSURPRISE ${surprise}`);
  console.log(`\n${surprises.length} surprises, in ${Math.round((performance.now() - began) / 1000)} s`);
  process.exitCode = surprises.length === 0 ? 0 : 1;
}
