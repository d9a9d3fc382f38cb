/** What another policy would have said of what happened: rules can be tried on the past before they decide about the future. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { checkList, checkObject } from '../../model/check-argument.ts';
import type { Act } from '../act/act.ts';
import type { CountedActs, PolicyHistory, Rule, Verdict } from '../act/rule.ts';
import type { AuditRecord, RuleCount } from '../audit/audit.ts';
import { isMaskedOrCut } from '../audit/mask-act.ts';
import { BudgetCounters } from './budget-counters.ts';
import { decidePolicy, MissingFact } from './decide-policy.ts';

/** What another policy would have said. */
export interface Rehearsal {
  /** Decisions that were looked at. */
  readonly decisions: number;
  readonly unchanged: number;
  /** By what was said then and what would be said now; the most frequent first. */
  readonly changes: readonly PolicyChange[];
  /** Decisions that cannot be repeated, because the record does not hold what a rule wants to know. */
  readonly undecidable: readonly Undecidable[];
}
/** Decisions that would be others now. */
export interface PolicyChange {
  readonly from: Verdict;
  readonly to: Verdict;
  /** The rule that would decide now. */
  readonly rule: string;
  readonly count: number;
  readonly example: AuditRecord;
}
/** Decisions that cannot be repeated, and why. */
export interface Undecidable {
  readonly why: string;
  readonly count: number;
  readonly example: AuditRecord;
}

/** Goes through the records of an audit, oldest first. Rehearsing the policy that they were made under changes nothing. */
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
      const { verdict: to, rule } = decidePolicy(policy, actIn(record, watched), historyOf(policy, record, counters));
      const { verdict: from } = record.decision;
      if (from === to) unchanged++;
      else tally(changes, `${from} ${to} ${rule}`, { from, to, rule, example: record });
    } catch (error) {
      if (!(error instanceof MissingFact)) throw error;
      tally(undecidable, error.message, { why: error.message, example: record });
    }
    if (record.allowed && isAct(record.act)) counters.reserve(record.act, record.at);
  }
  return { decisions, unchanged, changes: sortByCount(changes), undecidable: sortByCount(undecidable) };
}

function tally<T extends { readonly count: number }>(into: Map<string, T>, key: string, one: Omit<T, 'count'>): void {
  const before = into.get(key);
  into.set(key, before === undefined ? ({ ...one, count: 1 } as T) : { ...before, count: before.count + 1 }); // all but the count, and that
}

const sortByCount = <T extends { readonly count: number }>(found: Map<string, T>): T[] =>
  [...found.values()].sort((a, b) => b.count - a.count);

/** What a rule counted then is on record; what another rule would have counted is what was allowed until then. */
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

/** The act as it was recorded; looking at what was left out of the record ends the decision. */
function actIn({ act, watched = [] }: AuditRecord, wanted: readonly string[]): Act {
  if (!isAct(act)) throw new MissingFact('the record lacks facts that every act has');
  const unseen = wanted.some((label) => !watched.includes(label));
  return {
    ...act,
    arguments: guardedObject(act.arguments),
    carries: unseen ? unknownList : act.carries,
    get name(): string {
      if (isMaskedOrCut(act.name)) throw new MissingFact('the name is not on record in full');
      return act.name;
    },
  };
}

/** Whether text of others went along was not looked at then. */
const unknownList: readonly string[] = new Proxy([], {
  get(): never {
    throw new MissingFact('whose text went along is not on record');
  },
});

function guardedObject(values: JsonObject): JsonObject {
  return new Proxy(values, {
    get(target, key, receiver): unknown {
      const value: unknown = Reflect.get(target, key, receiver);
      if (isMaskedOrCut(value)) throw new MissingFact('an argument is not on record in full');
      return isObject(value) || Array.isArray(value) ? guardedObject(value as JsonObject) : value; // its members are looked at one by one
    },
  });
}

const texts: readonly (keyof Act)[] = ['kind', 'server', 'name', 'principal', 'effects', 'claimed'];

/** Records of other programs, or of older ones, may lack what rules take for granted. */
const isAct = (act: Act): boolean =>
  isObject(act) &&
  texts.every((key) => typeof act[key] === 'string') &&
  isObject(act.arguments) &&
  Array.isArray(act.carries);
