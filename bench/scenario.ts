/** What a scenario is made of, and what comes out of it. */
import type { Spread } from './stats.ts';

/** How long to warm up and to measure, and how often. */
export interface Effort {
  readonly quick: boolean;
  readonly warmMs: number;
  /** Warming up goes on until there were so many calls, or ten times as long: V8 still compiles after thousands of calls. */
  readonly warmCalls: number;
  readonly roundMs: number;
  readonly rounds: number;
}

export interface Sample {
  /** What one call costs, in the unit of the row. */
  readonly cost: number;
  /** How many calls it was measured with. */
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
  /** Where it stands on a curve. */
  readonly x?: number;
  /** Left out of a quick run. */
  readonly thorough?: boolean;
  /** One measurement is enough, and all may be taken at once: it comes out the same every time. */
  readonly exact?: boolean;
  /** It starts from nothing each time, so there is nothing to warm up. */
  readonly cold?: boolean;
  readonly measure: (subject: S, ms: number) => Promise<Sample>;
  /** Names of contenders for which this row alone is not, and why. */
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
  /** One sentence about the work. */
  readonly about: string;
  readonly rows: readonly Row<S>[];
  readonly contenders: readonly Contender<S>[];
  /** Who everybody is compared with; the first contender unless told. */
  readonly limit?: string;
  /** Its rows are points of a curve over this. */
  readonly over?: string;
  /** Who cannot do this, and why. */
  readonly without?: Readonly<Record<string, string>>;
}

/** A scenario whose subjects nobody else needs to know the type of. */
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
  /** To the limit, round by round. */
  readonly ratio?: Spread;
  readonly p50?: number;
  readonly p99?: number;
  readonly rate?: number;
  readonly rounds?: readonly number[];
  /** Why there is no figure. */
  readonly without?: string;
  /** What went wrong, where nothing should have. */
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
  /** The day of an earlier run, where it was taken from one. */
  readonly day?: string | undefined;
  readonly rows: readonly RowResult[];
}
