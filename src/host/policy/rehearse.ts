/** Replays the decisions of an audit log under another policy, to test its rules before they are used. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { checkList, checkObject } from '../../model/check-argument.ts';
import type { Act } from '../act/act.ts';
import type { CountedActs, PolicyHistory, Rule, Verdict } from '../act/rule.ts';
import type { AuditRecord, RuleCount } from '../audit/audit.ts';
import { isMaskedOrCut } from '../audit/mask-act.ts';
import { BudgetCounters } from './budget-counters.ts';
import { decidePolicy, MissingFact } from './decide-policy.ts';

/** What another policy would have decided. */
export interface Rehearsal {
  /** The number of decisions that were replayed. */
  readonly decisions: number;
  readonly unchanged: number;
  /** Changed decisions, grouped by old verdict, new verdict and rule; the most frequent first. */
  readonly changes: readonly PolicyChange[];
  /** Decisions that cannot be replayed, because the record lacks a fact that a rule needs. */
  readonly undecidable: readonly Undecidable[];
}
/** Decisions that would change in the same way. */
export interface PolicyChange {
  readonly from: Verdict;
  readonly to: Verdict;
  /** The new policy's deciding rule. */
  readonly rule: string;
  readonly count: number;
  readonly example: AuditRecord;
}
/** Decisions that cannot be replayed, and why. */
export interface Undecidable {
  readonly why: string;
  readonly count: number;
  readonly example: AuditRecord;
}

/** Replays the records of an audit log, oldest first, under a policy. The policy that made the decisions changes none of them. */
export async function rehearse(
  policy: readonly Rule[],
  records: Iterable<AuditRecord> | AsyncIterable<AuditRecord>,
): Promise<Rehearsal> {
  checkList(policy, 'rehearse(policy, records)', 'a list of rules');
  checkObject(records, 'rehearse(policy, records)', 'the records of an audit log');
  const counters = new BudgetCounters(policy);
  const watched = policy.flatMap(({ watches = [] }) => watches);
  const changes = new Map<string, PolicyChange>();
  const undecidable = new Map<string, Undecidable>();
  let [decisions, unchanged] = [0, 0];
  for await (const record of records) {
    if (record.phase !== 'decided') continue;
    decisions++;
    try {
      const act = recordedAct(record, watched);
      const { verdict: to, rule } = decidePolicy(policy, act, historyOf(policy, record, counters));
      const { verdict: from } = record.decision;
      if (from === to) unchanged++;
      else countIn(changes, `${from} ${to} ${rule}`, { from, to, rule, example: record });
    } catch (error) {
      if (!(error instanceof MissingFact)) throw error;
      countIn(undecidable, error.message, { why: error.message, example: record });
    }
    if (record.allowed && isAct(record.act)) counters.reserve(record.act, record.at);
  }
  return { decisions, unchanged, changes: sortByCount(changes), undecidable: sortByCount(undecidable) };
}

function countIn<T extends { readonly count: number }>(
  groups: Map<string, T>,
  key: string,
  first: Omit<T, 'count'>,
): void {
  const before = groups.get(key);
  groups.set(key, before === undefined ? ({ ...first, count: 1 } as T) : { ...before, count: before.count + 1 }); // T is `first` and the count
}

const sortByCount = <T extends { readonly count: number }>(found: Map<string, T>): T[] =>
  [...found.values()].sort((a, b) => b.count - a.count);

/** The counts that rules can read: for a rule of that time, those on record; for a new one, the acts that were allowed before. */
function historyOf(policy: readonly Rule[], record: AuditRecord, counters: BudgetCounters): PolicyHistory {
  const left: RuleCount[] = [...(record.counts ?? [])];
  const known = new Map<CountedActs, RuleCount>();
  for (const { text, counts } of policy) {
    const at = counts === undefined ? -1 : left.findIndex(({ rule }) => rule === text);
    const [found] = at === -1 ? [] : left.splice(at, 1);
    if (counts !== undefined && found !== undefined) known.set(counts, found);
  }
  const history = counters.history(record.act.session, record.at);
  return {
    count: (counted) => known.get(counted)?.calls ?? history.count(counted),
    tokens: (counted) => known.get(counted)?.tokens ?? history.tokens(counted),
  };
}

/** The recorded act. Reading a member that is masked or missing throws `MissingFact`, which makes the decision undecidable. */
function recordedAct({ act, watched = [] }: AuditRecord, wanted: readonly string[]): Act {
  if (!isAct(act)) throw new MissingFact('the record is incomplete');
  const isUnwatched = wanted.some((label) => !watched.includes(label));
  return {
    ...act,
    arguments: guardedObject(act.arguments),
    carries: isUnwatched ? unknownCarries : act.carries,
    get name(): string {
      if (isMaskedOrCut(act.name)) throw new MissingFact('the name is masked or cut in the record');
      return act.name;
    },
  };
}

/** In place of `carries`, if a server that the policy watches was not watched at that time. */
const unknownCarries: readonly string[] = new Proxy([], {
  get(): never {
    throw new MissingFact('the record does not say from which servers it carried text');
  },
});

function guardedObject(values: JsonObject): JsonObject {
  return new Proxy(values, {
    get(target, key, receiver): unknown {
      const value: unknown = Reflect.get(target, key, receiver);
      if (isMaskedOrCut(value)) throw new MissingFact('an argument is masked or cut in the record');
      return isObject(value) || Array.isArray(value) ? guardedObject(value as JsonObject) : value; // an object or a list, read by key
    },
  });
}

const texts: readonly (keyof Act)[] = ['kind', 'server', 'name', 'principal', 'effects', 'claimed'];

/** Records of other or older programs can lack members that rules rely on. */
const isAct = (act: Act): boolean =>
  isObject(act) &&
  texts.every((key) => typeof act[key] === 'string') &&
  isObject(act.arguments) &&
  Array.isArray(act.carries);
