/**
 * The long form of kills.test.ts: a table of every point of a task's life × store × form, then 200 tasks under random kills, 200
 * under random stalls, and the cost of 10,000 waiting tasks.
 *
 *   npm run stores && npm run kills [-- 1000]
 *
 * Exit code 1 if a row is wrong.
 */

import process from 'node:process';
import { isDeepStrictEqual } from 'node:util';
import { type ChaosResult, killAtRandom, stallAtRandom } from './chaos.ts';
import { type KillResult, killAt, killPoints } from './kill-table.ts';
import { openLaboratory, type StoreKind } from './laboratory.ts';
import { measureWaiting } from './waiting.ts';

const count = Number(process.argv[2] ?? 200);
const kinds: readonly StoreKind[] = ['sqlite', 'redis'];
const lab = await openLaboratory();

const show = ({ outcome, price, charge, keys, asked }: KillResult): string =>
  `${outcome} | ${price} + ${charge} | ${keys} | ${asked}`;

console.log('| killed | store | form | outcome after the restart | runs of steps | idempotency keys | asked |');
console.log('|---|---|---|---|---|---|---|');
try {
  for (const point of killPoints)
    for (const kind of kinds)
      for (const form of ['handle', 'augmented'] as const) {
        const isAgain = point.stopAt === 'from outside' && form === 'augmented';
        const expected = { ...point.expected, asked: point.expected.asked + (isAgain ? 1 : 0) };
        const result = await killAt(lab, point, kind, form);
        judge(isDeepStrictEqual(result, expected), `| ${point.when} | ${kind} | ${form} | ${show(result)} |`);
      }
  console.log('\n| faults | store | tasks | outcomes | deeds | runs of the step | faults | contradictions |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const kind of kinds) {
    report('kills', kind, await killAtRandom(lab, kind, count));
    report('stalls, one clock 10 s ahead', kind, await stallAtRandom(lab, kind, count));
  }
  console.log('\n| tasks that wait for people, in SQLite | resident MB | processor time per idle second |');
  console.log('|---|---|---|');
  const empty = await measureWaiting(lab, 0);
  for (const cost of [empty, await measureWaiting(lab, 10_000)]) {
    const isRight = cost.residentMb - empty.residentMb <= 50 && cost.idleMsPerSecond <= 10;
    judge(isRight, `| ${cost.tasks} | ${cost.residentMb} | ${cost.idleMsPerSecond} ms |`);
  }
} finally {
  await lab.close();
}

function report(
  what: string,
  kind: StoreKind,
  { outcomes, deeds, charges, faults, contradictions }: ChaosResult,
): void {
  const isRight = outcomes['Paid 4200: r-1'] === count && deeds === count && contradictions.length === 0;
  const texts = Object.entries(outcomes).map(([text, n]) => `${n} × ${text}`);
  const found = contradictions.length === 0 ? 'none' : contradictions.slice(0, 3).join('; ');
  judge(
    isRight,
    `| ${what} | ${kind} | ${count} | ${texts.join(', ')} | ${deeds} | ${charges} | ${faults} | ${found} |`,
  );
}

function judge(isRight: boolean, row: string): void {
  console.log(isRight ? row : `${row} WRONG`);
  if (!isRight) process.exitCode = 1;
}
