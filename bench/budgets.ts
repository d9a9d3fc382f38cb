/** Cost budgets and their verdicts. A missed budget is reported and does not fail the run, because a busy machine can cause it. */
import { atLeast, atMost, factorOf, isSteady, type Verdict } from './claims.ts';
import { range, times } from './report/numbers.ts';
import type { ContenderResult, ScenarioResult } from './scenario.ts';
import type { Spread } from './stats.ts';

interface Budget {
  readonly what: string;
  readonly at: readonly [scenario: string, row: string];
  /** The contender that the budget is for; `Mooring` by default. */
  readonly who?: string;
  /** The most it can cost, as a multiple of the limit. */
  readonly limit?: number;
  /** The most it can cost, in the unit of the row. */
  readonly amount?: number;
  /** The least that the official SDK, version 2, should cost, as a multiple of ours. */
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
  { what: 'creating a task / plain call', at: ['task-call', 'call'], limit: 1.5 },
  { what: 'polling a task / plain call', at: ['task-call', 'poll'], limit: 1.3 },
  {
    ...{ what: '10,000 waiting tasks in SQLite, MB', at: ['waiting-tasks', 'resident'], amount: 50 },
    who: 'Mooring, SQLite',
  },
  {
    ...{ what: 'an idle second with 10,000 waiting tasks, CPU ms', at: ['waiting-tasks', 'idle'], amount: 5 },
    who: 'Mooring, SQLite',
  },
  { what: 'gateway / parsing proxy', at: ['gateway', '16'], limit: 1.6 },
  { what: 'gateway with bearer() / parsing proxy', at: ['gateway-bearer', '16'], limit: 2 },
  { what: 'gateway across eras / parsing proxy', at: ['gateway-eras', '16'], limit: 2.2 },
  { what: 'gateway, tools/list with 1,000 tools', at: ['gateway-list', 'list'], limit: 1.2 },
  { what: 'sessions in Redis with ioredis / in memory', at: ['shared-sessions', '16'], who: 'ioredis', limit: 1.25 },
  {
    what: 'sessions in Redis with node-redis / in memory',
    at: ['shared-sessions', '16'],
    who: 'node-redis',
    limit: 1.25,
  },
  {
    ...{
      what: 'two processes that share sessions / one process',
      at: ['shared-processes', '16'],
      who: 'two processes',
    },
    limit: 1 / 0.9,
  },
  { what: 'cold start to the first result', at: ['cold-start', 'stdio'], limit: 1.15, official: 2 },
  { what: 'idle session, bytes', at: ['idle-session', '2-tools'], amount: 1_024 },
  { what: 'function calls per request', at: ['function-calls', 'call'], amount: 640 },
  { what: 'function calls, without sessions', at: ['function-calls-stateless', 'call'], amount: 640 },
  { what: 'minimal server, bundled, kB', at: ['bundle-size', 'start'], amount: 45 },
];

const OFFICIAL = ['official v2, JSON', 'official v2'];

/** A Markdown table with one line per measured budget. */
export function verdicts(scenarios: readonly ScenarioResult[]): string {
  const lines = budgets.flatMap((budget) => {
    const contenders = contendersAt(budget, scenarios);
    return contenders === undefined ? [] : [line(budget, contenders)];
  });
  if (lines.length === 0) return '';
  const about =
    'A budget is met or missed if all rounds agree, and undecided otherwise. Factors are ranges: the smallest and largest that the rounds allow.';
  const head = '| | Mooring | budget | official v2 / Mooring | goal | best of the others |\n|---|---|---|---|---|---|';
  return `### Budgets\n\n${about}\n\n${head}\n${lines.join('\n')}\n`;
}

/** The rows of the root README, and the scenario behind each. */
const readable: readonly (readonly [what: string, scenario: string, row: string])[] = [
  ['HTTP server, in sessions', 'http-session', '16'],
  ['HTTP server, without sessions', 'http-stateless', '16'],
  ['HTTP client', 'client-http', 'json-16'],
  ['stdio server, 64 calls at once', 'stdio', 'pipelined'],
  ['stdio client, 64 calls at once', 'client-stdio', 'pipelined'],
  ['client and server in one process', 'in-memory', 'call'],
];

/** Whether a row of the root README comes from this scenario. */
export const isReadable = ({ id }: ScenarioResult): boolean => readable.some(([, scenario]) => scenario === id);

/** Our worst round against the best round of the official SDK. Rows whose rounds disagree are left out. */
export function figures(scenarios: readonly ScenarioResult[], official: string): string {
  const lines = readable.flatMap(([what, scenario, row]) => {
    const contenders = contendersAt({ what, at: [scenario, row] }, scenarios) ?? [];
    const ours = contenders.find(({ name }) => name === 'Mooring')?.ratio;
    const theirs = officialOf(contenders)?.ratio;
    if (ours === undefined || theirs === undefined || !isSteady(ours)) return [];
    return [`| ${what} | ${roughly(ours.max, Math.ceil)} | ${roughly(theirs.min, Math.floor)} |`];
  });
  const head = `| Processor time of one call | Mooring, at most | Official SDK ${official}, at least |\n|---|---|---|`;
  return `${head}\n${lines.join('\n')}\n`;
}

/** Two digits, rounded against us. */
function roughly(value: number, round: (value: number) => number): string {
  const unit = value >= 10 ? 1 : 10;
  return `${round(value * unit) / unit} ×`;
}

function contendersAt({ at: [id, rowId] }: Budget, scenarios: readonly ScenarioResult[]) {
  return scenarios.find((one) => one.id === id)?.rows.find((one) => one.id === rowId)?.contenders;
}

const officialOf = (all: readonly ContenderResult[]): ContenderResult | undefined =>
  OFFICIAL.map((name) => all.find((one) => one.name === name && one.cost !== undefined)).find(
    (one) => one !== undefined,
  );

function line({ what, who = 'Mooring', limit, amount, official }: Budget, all: readonly ContenderResult[]): string {
  const ours = all.find(({ name }) => name === who);
  const measured = limit === undefined ? ours?.cost : ours?.ratio;
  if (ours === undefined || measured === undefined) return `| ${what} | – | | | | |`;
  const most = limit ?? amount ?? Number.NaN;
  const shown =
    limit === undefined ? `${Math.round(measured.median)}` : `${times(measured.median)} (${range(measured)})`;
  const budget = said(atMost(measured, most), `≤ ${limit === undefined ? most : times(most)}`);
  const theirs = officialOf(all);
  const factor = theirs === undefined ? undefined : factorOf(theirs, ours);
  const goal =
    official === undefined || factor === undefined ? '' : said(atLeast(factor, official), `≥ ${times(official)}`);
  return `| ${what} | ${shown} | ${budget} | ${factor === undefined ? '' : range(factor)} | ${goal} | ${best(all, ours)} |`;
}

const said = (verdict: Verdict, what: string): string => (verdict === 'met' ? what : `**${verdict}:** ${what}`);

/** The cheapest other contender, limits excluded, as a multiple of ours. */
function best(all: readonly ContenderResult[], ours: ContenderResult): string {
  const cost = ({ ratio, cost: absolute }: ContenderResult): number =>
    (ratio ?? absolute)?.median ?? Number.POSITIVE_INFINITY;
  const isLimit = ({ name, ratio }: ContenderResult): boolean =>
    name.startsWith('limit') || (ratio?.min === 1 && ratio.max === 1);
  const others = all.filter((one) => one.cost !== undefined && !isLimit(one) && !one.name.startsWith('Mooring'));
  const [first] = others.toSorted((a, b) => cost(a) - cost(b));
  const factor: Spread | undefined = first && factorOf(first, ours);
  if (first === undefined || factor === undefined) return '';
  const place = { met: '', missed: '**better:** ', undecided: 'level: ' }[atLeast(factor, 1)];
  return `${place}${first.name}, ${range(factor)} ours`;
}
