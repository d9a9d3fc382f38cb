/** Formats results as Markdown tables: contenders in lines, rows of the scenario in columns. */
import type { ContenderResult, RowResult, ScenarioResult } from '../scenario.ts';
import { amount, ratio } from './numbers.ts';

export function tables(scenarios: readonly ScenarioResult[]): string {
  return scenarios.map(table).join('\n');
}

function table({ title, about, rows }: ScenarioResult): string {
  const names = [...new Set(rows.flatMap(({ contenders }) => contenders.map(({ name }) => name)))];
  const head = `| | ${rows.map((row) => `${row.title}`).join(' | ')} |\n|---|${'---|'.repeat(rows.length)}`;
  const lines = names.map((name) => `| ${name} | ${rows.map((row) => cell(row, name)).join(' | ')} |`);
  return `### ${title}\n\n${about}\n\n${head}\n${lines.join('\n')}\n${reasons(rows)}`;
}

function cell(row: RowResult, name: string): string {
  const found = row.contenders.find((one) => one.name === name);
  if (found === undefined || found.without !== undefined) return '–';
  if (found.failed !== undefined || found.cost === undefined) return 'failed';
  return [ratio(found.ratio), amount(found.cost.median, row.unit), late(found)].filter(Boolean).join(' · ');
}

const late = ({ p50, p99 }: ContenderResult): string =>
  p50 === undefined || p99 === undefined ? '' : `${milli(p50)} / ${milli(p99)} ms`;

const milli = (ms: number): string => (ms < 10 ? ms.toFixed(2) : ms.toFixed(0));

/** Why cells are empty. */
function reasons(rows: readonly RowResult[]): string {
  const said = rows.flatMap(({ contenders }) =>
    contenders.flatMap(({ name, without, failed }) => {
      const why = without ?? (failed === undefined ? undefined : `failed: ${failed}`);
      return why === undefined ? [] : [`${name}: ${why}.`];
    }),
  );
  return said.length === 0 ? '' : `\n– ${[...new Set(said)].join(' ')}\n`;
}
