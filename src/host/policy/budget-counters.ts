/** What rules count: acts that were allowed or are being asked about, by the rule's own measure. */
import type { Act } from '../act/act.ts';
import type { CountedActs, PolicyHistory, Rule } from '../act/rule.ts';
import type { RuleCount } from '../audit/audit.ts';

/** A window is counted in so many parts, the oldest whole: what is counted is never less than what happened. */
const PARTS = 256;

/** What happened in one part of a window, or in one session. */
interface WindowPart {
  calls: number;
  tokens: number;
}

/** A place that is taken for an act: given back if it does not happen, or corrected once, when its cost is known. */
export interface Reservation {
  release(): void;
  settle(tokens: number): void;
}

export class BudgetCounters {
  readonly #rules: readonly { readonly text: string; readonly tally: BudgetCounter }[];

  constructor(policy: readonly Rule[]) {
    this.#rules = policy.flatMap(({ text, counts }) =>
      counts === undefined ? [] : [{ text, tally: new BudgetCounter(counts) }],
    );
  }

  /** What an act in this session may know, at this time. */
  history(session: string | undefined, now: number): PolicyHistory {
    const find = (counted: CountedActs): WindowPart => {
      const rule = this.#rules.find(({ tally }) => tally.counted === counted);
      if (rule === undefined) throw new Error('A rule asks for what it did not say that it counts');
      return rule.tally.sum(session, now);
    };
    return { count: (counted) => find(counted).calls, tokens: (counted) => find(counted).tokens };
  }

  /** The same for the audit. */
  counts(session: string | undefined, now: number): readonly RuleCount[] {
    return this.#rules.map(({ text, tally }) => ({ rule: text, ...tally.sum(session, now) }));
  }

  /** Counts an act from now on. */
  reserve(act: Act, now: number): Reservation {
    const parts = this.#rules.flatMap(({ tally }) => (tally.isOf(act) ? [tally.part(act.session, now)] : []));
    const tokens = act.tokens ?? 0;
    const add = (calls: number, more: number): void => {
      for (const part of parts) {
        part.calls += calls;
        part.tokens += more;
      }
    };
    add(1, tokens);
    return {
      release: () => add(-1, -tokens),
      settle: (spent) => add(0, spent - tokens),
    };
  }

  endSession(session: string): void {
    for (const { tally } of this.#rules) tally.endSession(session);
  }
}

class BudgetCounter {
  readonly counted: CountedActs;
  readonly #parts: Map<string | number, WindowPart> = new Map();

  constructor(counted: CountedActs) {
    this.counted = counted;
  }

  /** What cannot say whether it counts an act counts it. */
  isOf(act: Act): boolean {
    try {
      return this.counted.of(act);
    } catch {
      return true;
    }
  }

  part(session: string | undefined, now: number): WindowPart {
    const { within } = this.counted;
    const key = within === 'session' ? (session ?? '') : Math.floor(now / (within.ms / PARTS));
    const part = this.#parts.get(key) ?? { calls: 0, tokens: 0 };
    this.#parts.set(key, part);
    return part;
  }

  sum(session: string | undefined, now: number): WindowPart {
    const { within } = this.counted;
    if (within === 'session') return { calls: 0, tokens: 0, ...this.#parts.get(session ?? '') };
    const oldest = Math.floor((now - within.ms) / (within.ms / PARTS));
    const sum = { calls: 0, tokens: 0 };
    for (const [key, { calls, tokens }] of this.#parts) {
      if (Number(key) < oldest) this.#parts.delete(key);
      else {
        sum.calls += calls;
        sum.tokens += tokens;
      }
    }
    return sum;
  }

  /** The parts of a window have numbers for keys, and stay. */
  endSession(session: string): void {
    this.#parts.delete(session);
  }
}
