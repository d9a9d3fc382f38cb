/** Runs the contenders alternately (A, B, C, A, B, C, …), so that other load on the machine affects all of them alike. */
import {
  type Contender,
  type ContenderResult,
  type Effort,
  limitOf,
  type Row,
  type RowResult,
  type Sample,
  type Scenario,
} from './scenario.ts';
import { median, spread } from './stats.ts';

interface Entered<S> {
  readonly name: string;
  readonly subject: S | undefined;
  failed: string | undefined;
}

export async function runScenario<S extends AsyncDisposable>(
  made: Scenario<S>,
  effort: Effort,
  say: (what: string) => void,
): Promise<RowResult[]> {
  const rows = made.rows.filter(({ thorough }) => !(effort.quick && thorough === true));
  if (rows.length === 0) return [];
  const entered: Entered<S>[] = [];
  try {
    entered.push(...(await Promise.all(made.contenders.map(enter))));
    const results: RowResult[] = [];
    for (const row of rows) {
      say(`${made.id}/${row.id}`);
      results.push(await runRow({ row, entered, effort, limit: limitOf(made) }));
    }
    return results.map((result) => ({ ...result, contenders: [...result.contenders, ...absent(made.without)] }));
  } finally {
    for (const { subject } of entered) await subject?.[Symbol.asyncDispose]();
  }
}

/** A contender that takes longer fails; the others continue. */
const TIMEOUT_MS = 120_000;
/** The longest warm-up, as a multiple of its usual length. */
const MOST_WARMING = 10;

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${Math.round(ms / 1_000)} s`)), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

async function enter<S>({ name, open }: Contender<S>): Promise<Entered<S>> {
  try {
    return { name, subject: await open(), failed: undefined };
  } catch (error) {
    return { name, subject: undefined, failed: reasonOf(error) };
  }
}

interface Running<S> {
  readonly row: Row<S>;
  readonly entered: readonly Entered<S>[];
  readonly effort: Effort;
  readonly limit: string;
}

async function runRow<S>({ row, entered, effort, limit }: Running<S>): Promise<RowResult> {
  const samples = new Map<string, Sample[]>(entered.map(({ name }) => [name, []]));
  const failures = new Map<string, string>(entered.flatMap(({ name, failed }) => (failed ? [[name, failed]] : [])));
  const measure = async ({ name, subject }: Entered<S>, ms: number): Promise<Sample | undefined> => {
    if (subject === undefined || failures.has(name) || row.without?.[name] !== undefined) return undefined;
    try {
      return await inTime(row.measure(subject, ms), ms + TIMEOUT_MS);
    } catch (error) {
      failures.set(name, reasonOf(error));
      return undefined;
    }
  };
  const warmUp = async (one: Entered<S>): Promise<void> => {
    const until = performance.now() + MOST_WARMING * effort.warmMs;
    for (let calls = 0; calls < effort.warmCalls && performance.now() < until; )
      calls += (await measure(one, effort.warmMs))?.calls ?? effort.warmCalls;
  };
  const take = async (one: Entered<S>): Promise<void> => {
    const sample = await measure(one, effort.roundMs);
    if (sample !== undefined) samples.get(one.name)?.push(sample);
  };
  if (row.exact === true) await Promise.all(entered.map(take));
  else {
    if (row.cold !== true) for (const one of entered) await warmUp(one);
    for (let round = 0; round < effort.rounds; round++) {
      // The first contender changes with each round, so that none always follows the same neighbor.
      const first = round % entered.length;
      for (const one of [...entered.slice(first), ...entered.slice(0, first)]) await take(one);
    }
  }
  const base = samples.get(limit) ?? [];
  const contenders = entered.map(({ name }) =>
    failures.has(name) || row.without?.[name] !== undefined
      ? nothing(name, row.without?.[name], failures.get(name))
      : summary(name, samples.get(name) ?? [], base),
  );
  return { id: row.id, title: row.title, unit: row.unit, ...(row.x === undefined ? {} : { x: row.x }), contenders };
}

function summary(name: string, samples: readonly Sample[], base: readonly Sample[]): ContenderResult {
  const rounds = samples.map(({ cost }) => cost);
  const ratios = samples.flatMap(({ cost }, at) => (base[at] === undefined ? [] : [cost / base[at].cost]));
  return {
    name,
    cost: spread(rounds),
    ...(ratios.length === 0 ? {} : { ratio: spread(ratios) }),
    ...middle('p50', samples),
    ...middle('p99', samples),
    ...middle('rate', samples),
    rounds,
  };
}

type Key = 'p50' | 'p99' | 'rate';

function middle(key: Key, samples: readonly Sample[]): Partial<Record<Key, number>> {
  const values = samples.flatMap((sample) => sample[key] ?? []);
  return values.length === 0 ? {} : { [key]: median(values) };
}

const nothing = (name: string, without: string | undefined, failed: string | undefined): ContenderResult =>
  without === undefined ? { name, failed: failed ?? 'no sample' } : { name, without };

const absent = (without: Readonly<Record<string, string>> = {}): ContenderResult[] =>
  Object.entries(without).map(([name, why]) => ({ name, without: why }));

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ').slice(0, 600);
