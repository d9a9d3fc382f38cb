/** Counts acts for budget rules: those that were allowed, and those that wait for the user. */
import type { Act } from '../act/act.ts';
import type { CountedActs, PolicyHistory, Rule } from '../act/rule.ts';
import type { RuleCount } from '../audit/audit.ts';

/** A time window is divided into this many buckets. The oldest counts in full, so the count is never too low. */
const BUCKETS = 256;

/** The counts of one bucket of a window, or of one session. */
interface CounterBucket {
  calls: number;
  tokens: number;
}

/** An act that was counted: released if it does not happen, or corrected once its cost is known. */
export interface Reservation {
  release(): void;
  settle(tokens: number): void;
}

export class BudgetCounters {
  readonly #rules: readonly { readonly text: string; readonly counter: BudgetCounter }[];

  constructor(policy: readonly Rule[]) {
    this.#rules = policy.flatMap(({ text, counts }) =>
      counts === undefined ? [] : [{ text, counter: new BudgetCounter(counts) }],
    );
  }

  /** The counts that rules can read when they decide an act in this session, at this time. */
  history(session: string | undefined, now: number): PolicyHistory {
    const find = (counted: CountedActs): CounterBucket => {
      const rule = this.#rules.find(({ counter }) => counter.counted === counted);
      if (rule === undefined) throw new Error('A rule reads a count that it did not declare');
      return rule.counter.sum(session, now);
    };
    return { count: (counted) => find(counted).calls, tokens: (counted) => find(counted).tokens };
  }

  /** The same counts, for the audit record. */
  counts(session: string | undefined, now: number): readonly RuleCount[] {
    return this.#rules.map(({ text, counter }) => ({ rule: text, ...counter.sum(session, now) }));
  }

  /** Counts an act. */
  reserve(act: Act, now: number): Reservation {
    const buckets = this.#rules.flatMap(({ counter }) =>
      counter.includes(act) ? [counter.bucket(act.session, now)] : [],
    );
    const tokens = act.tokens ?? 0;
    const add = (calls: number, more: number): void => {
      for (const bucket of buckets) {
        bucket.calls += calls;
        bucket.tokens += more;
      }
    };
    add(1, tokens);
    return {
      release: () => add(-1, -tokens),
      settle: (spent) => add(0, spent - tokens),
    };
  }

  endSession(session: string): void {
    for (const { counter } of this.#rules) counter.endSession(session);
  }
}

class BudgetCounter {
  readonly counted: CountedActs;
  /** By session, or by number of the time slice. */
  readonly #buckets: Map<string | number, CounterBucket> = new Map();

  constructor(counted: CountedActs) {
    this.counted = counted;
  }

  /** Whether the rule counts this act. If its function throws, the act counts. */
  includes(act: Act): boolean {
    try {
      return this.counted.of(act);
    } catch {
      return true;
    }
  }

  bucket(session: string | undefined, now: number): CounterBucket {
    const { within } = this.counted;
    const key = within === 'session' ? (session ?? '') : Math.floor(now / (within.ms / BUCKETS));
    const bucket = this.#buckets.get(key) ?? { calls: 0, tokens: 0 };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  sum(session: string | undefined, now: number): CounterBucket {
    const { within } = this.counted;
    if (within === 'session') return { calls: 0, tokens: 0, ...this.#buckets.get(session ?? '') };
    const oldest = Math.floor((now - within.ms) / (within.ms / BUCKETS));
    const sum = { calls: 0, tokens: 0 };
    for (const [key, { calls, tokens }] of this.#buckets) {
      if (Number(key) < oldest) this.#buckets.delete(key);
      else {
        sum.calls += calls;
        sum.tokens += tokens;
      }
    }
    return sum;
  }

  /** Buckets of time windows stay: their keys are numbers. */
  endSession(session: string): void {
    this.#buckets.delete(session);
  }
}
