/** Types of scenarios and their results. */
import type { Spread } from './stats.ts';

/** How long to warm up and to measure, and how often. */
export interface Effort {
  readonly quick: boolean;
  readonly warmMs: number;
  /** Warm-up lasts until this many calls, or ten times `warmMs`: V8 still compiles after thousands of calls. */
  readonly warmCalls: number;
  readonly roundMs: number;
  readonly rounds: number;
}

export interface Sample {
  /** The cost of one call, in the unit of the row. */
  readonly cost: number;
  /** The number of calls behind the sample. */
  readonly calls?: number;
  /** Milliseconds. */
  readonly p50?: number;
  readonly p99?: number;
  /** Calls per second of wall time. */
  readonly rate?: number;
}

export interface Row<S> {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  /** The position on the x axis of a curve. */
  readonly x?: number;
  /** Skipped in a quick run. */
  readonly thorough?: boolean;
  /** The value is deterministic: measured once, all contenders in parallel. */
  readonly exact?: boolean;
  /** Each measurement starts a new process, so there is no warm-up. */
  readonly cold?: boolean;
  readonly measure: (subject: S, ms: number) => Promise<Sample>;
  /** Contenders without this row, and why. */
  readonly without?: Readonly<Record<string, string>>;
}

export type Unit = 'CPU µs' | 'CPU ms' | 'bytes' | 'kB' | 'MB' | 'packages' | 'function calls';

export interface Contender<S> {
  readonly name: string;
  open(): Promise<S>;
}

export interface Scenario<S extends AsyncDisposable = AsyncDisposable> {
  readonly id: string;
  readonly title: string;
  /** One or two sentences about the work. */
  readonly about: string;
  readonly rows: readonly Row<S>[];
  readonly contenders: readonly Contender<S>[];
  /** The contender that all others are compared with; the first by default. */
  readonly limit?: string;
  /** The rows are points of a curve over this quantity. */
  readonly over?: string;
  /** Contenders that cannot run this, and why. */
  readonly without?: Readonly<Record<string, string>>;
}

/** A scenario without the type of its subjects. */
export interface AnyScenario {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly limit: string;
  readonly over: string | undefined;
  run(runner: <S extends AsyncDisposable>(scenario: Scenario<S>) => Promise<RowResult[]>): Promise<RowResult[]>;
}

export function scenario<S extends AsyncDisposable>(made: Scenario<S>): AnyScenario {
  const { id, title, about, over } = made;
  return { id, title, about, over, limit: limitOf(made), run: (runner) => runner(made) };
}

export const limitOf = <S extends AsyncDisposable>({ limit, contenders: [first] }: Scenario<S>): string =>
  limit ?? first?.name ?? '';

export interface ContenderResult {
  readonly name: string;
  readonly cost?: Spread;
  /** Relative to the limit, per round. */
  readonly ratio?: Spread;
  readonly p50?: number;
  readonly p99?: number;
  readonly rate?: number;
  readonly rounds?: readonly number[];
  /** Why there is no figure. */
  readonly without?: string;
  /** The error, if the contender failed. */
  readonly failed?: string;
}

export interface RowResult {
  readonly id: string;
  readonly title: string;
  readonly unit: Unit;
  readonly x?: number;
  readonly contenders: readonly ContenderResult[];
}

export interface ScenarioResult {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly limit: string;
  readonly over?: string | undefined;
  /** The day of the run, if it is an earlier one. */
  readonly day?: string | undefined;
  readonly rows: readonly RowResult[];
}
