/** What Mooring is meant to cost, and whether it does. Told and not judged: a busy machine is no reason to fail. */
import { times } from './report/numbers.ts';
import type { ContenderResult, ScenarioResult } from './scenario.ts';

interface Budget {
  readonly what: string;
  readonly at: readonly [scenario: string, row: string];
  /** Who of ours; `Mooring` unless told. */
  readonly who?: string;
  /** At most so many times the limit. */
  readonly limit?: number;
  /** At most so much, in the unit of the row. */
  readonly amount?: number;
  /** The official SDK, version 2, takes at least so many times as much. */
  readonly official?: number;
}

const budgets: readonly Budget[] = [
  { what: 'HTTP server, in sessions', at: ['http-session', '16'], limit: 1.3, official: 8 },
  { what: 'HTTP server, without sessions', at: ['http-stateless', '16'], limit: 1.3, official: 8 },
  { what: 'stdio server, sequential', at: ['stdio', 'sequential'], limit: 1.5 },
  { what: 'stdio server, 64 in flight', at: ['stdio', 'pipelined'], limit: 2, official: 6 },
  { what: 'client over HTTP, JSON', at: ['client-http', 'json-16'], limit: 1.5, official: 6 },
  { what: 'client over HTTP, SSE', at: ['client-http', 'sse-16'], limit: 1.5, official: 6 },
  { what: 'client over stdio, 64 in flight', at: ['client-stdio', 'pipelined'], limit: 2, official: 6 },
  { what: 'client and server in one process', at: ['in-memory', 'call'], limit: 2, official: 10 },
  { what: 'tools/list with 1,000 tools', at: ['tools-list', 'list'], limit: 1.2 },
  { what: 'progress, per notification', at: ['progress', 'step'], limit: 1 },
  { what: 'from spawn to the first result', at: ['cold-start', 'stdio'], limit: 1.15, official: 2 },
  { what: 'idle session, bytes', at: ['idle-session', '2-tools'], amount: 1_024 },
  { what: 'function calls per request', at: ['function-calls', 'call'], amount: 640 },
  { what: 'function calls, without sessions', at: ['function-calls-stateless', 'call'], amount: 640 },
  { what: 'smallest server, bundled, kB', at: ['bundle-size', 'start'], amount: 45 },
];

const OFFICIAL = ['official v2, JSON', 'official v2'];

/** One line of Markdown per budget that was measured. */
export function verdicts(scenarios: readonly ScenarioResult[]): string {
  const lines = budgets.flatMap((budget) => {
    const [id, rowId] = budget.at;
    const row = scenarios.find((one) => one.id === id)?.rows.find((one) => one.id === rowId);
    return row === undefined ? [] : [line(budget, row.contenders)];
  });
  if (lines.length === 0) return '';
  const head = '| | Mooring | budget | official v2 : Mooring | goal | best of the others |\n|---|---|---|---|---|---|';
  return `### Budgets\n\n${head}\n${lines.join('\n')}\n`;
}

function line({ what, who = 'Mooring', limit, amount, official }: Budget, all: readonly ContenderResult[]): string {
  const cost = (name: string): number | undefined => all.find((one) => one.name === name)?.cost?.median;
  const ours = all.find(({ name }) => name === who);
  const own = ours?.cost?.median;
  if (ours === undefined || own === undefined) return `| ${what} | – | | | | |`;
  const measured = limit === undefined ? own : (ours.ratio?.median ?? Number.NaN);
  const most = limit ?? amount ?? Number.NaN;
  const shown = limit === undefined ? `${Math.round(measured)}` : times(measured);
  const budget = `${measured <= most ? '≤' : '**missed:** ≤'} ${limit === undefined ? most : times(most)}`;
  const theirs = OFFICIAL.map(cost).find((value) => value !== undefined);
  const factor = theirs === undefined ? undefined : theirs / own;
  const goal = official === undefined ? '' : `${(factor ?? 0) >= official ? '≥' : '**missed:** ≥'} ${times(official)}`;
  return `| ${what} | ${shown} | ${budget} | ${factor === undefined ? '' : times(factor)} | ${goal} | ${best(all, own)} |`;
}

/** Whoever else is cheapest, the limits aside, and how many times ours that is. */
function best(all: readonly ContenderResult[], own: number): string {
  const others = all.filter(({ name, cost }) => cost !== undefined && !/^(?:limit|Mooring)/.test(name));
  const [first] = others.toSorted((a, b) => (a.cost?.median ?? 0) - (b.cost?.median ?? 0));
  if (first?.cost === undefined) return '';
  const factor = first.cost.median / own;
  return `${factor < 1 ? '**ahead of us:** ' : ''}${first.name}, ${times(factor)} ours`;
}
