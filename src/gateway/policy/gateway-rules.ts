/** The constructors of a gateway's rules. */
import { listOf } from '../../host/policy/act-match.ts';
import { badRule, checkLimits } from '../../host/policy/check-match.ts';
import { matchText, valueText } from '../../host/policy/rule-text.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { compileGatewayMatch, type GatewayMatch, type MatchCertainty, type RuleSubject } from './gateway-match.ts';

/** One rule. Verdict and match are data, so that lists can be filtered without arguments. */
export interface GatewayRule {
  /** For display: `deny { server: shop, name: refund }`. */
  readonly text: string;
  /** `budget` denies once it is exhausted, and otherwise passes to the next rule; `trust` never decides. */
  readonly verdict: 'allow' | 'ask' | 'deny' | 'budget' | 'trust';
  readonly match: GatewayMatch;
  /** Lists a denied part, and tells callers which rule denies it. */
  readonly isVisible: boolean;
  readonly limit?: CallLimit | undefined;
  /** Upstreams whose annotations are trusted. */
  readonly trusts: readonly string[];
  applies(subject: RuleSubject): MatchCertainty;
}

/** A number of calls within a sliding window. */
export interface CallLimit {
  readonly calls: number;
  readonly perMs: number;
  /** Counts all callers together instead of each person. */
  readonly isShared?: boolean | undefined;
}

/** The limit of a budget rule. */
export interface GatewayBudget {
  readonly calls: number;
  readonly per: 'hour' | 'day' | { readonly ms: number };
  /** Counts each person, or all together. Default: `principal`. */
  readonly for?: 'principal' | 'all';
}

/** Options of a deny rule. */
export interface DenyOptions {
  /** Lists the denied part, and tells callers which rule denies it. */
  readonly visible?: boolean;
}

const HOUR_MS = 3_600_000;
const DAY_MS: number = 24 * HOUR_MS;

interface GatewayRules {
  allow(match: GatewayMatch): GatewayRule;
  ask(match: GatewayMatch): GatewayRule;
  deny(match: GatewayMatch, options?: DenyOptions): GatewayRule;
  budget(match: GatewayMatch, budget: GatewayBudget): GatewayRule;
  trustAnnotationsOf(...labels: readonly string[]): GatewayRule;
}

/** Creates the rules of a gateway's policy. The first matching rule decides; without a match, the request is denied. */
export const gatewayRules: GatewayRules = {
  allow: (match) => verdictRule('allow', match),
  /** Asks the caller's user before anything is sent. */
  ask: (match) => verdictRule('ask', match),
  /** Hides the part from lists, unless `visible` is set. */
  deny: (match, { visible = false } = {}) => ({
    ...verdictRule('deny', match),
    text: `deny ${matchText(match)}${visible ? ' visible' : ''}`,
    isVisible: visible,
  }),
  /** Counts in this process only. */
  budget(match, budget) {
    checkLimits(budget, { calls: true, per: true, for: true });
    const { calls, per, for: whom = 'principal' } = budget;
    if (!Number.isSafeInteger(calls) || calls < 0) throw badRule('"calls" of a budget must be a whole number');
    if (whom !== 'principal' && whom !== 'all') throw badRule('"for" must be principal or all');
    const limit = { calls, perMs: windowMs(per), isShared: whom === 'all' };
    const span = typeof per === 'string' ? per : `${per.ms} ms`;
    return {
      ...verdictRule('budget', match),
      text: `budget ${matchText(match)} ${calls} calls per ${span}${whom === 'all' ? ' for all' : ''}`,
      limit,
    };
  },
  /** Trusts the tool annotations of these upstreams. */
  trustAnnotationsOf(...labels) {
    if (labels.length === 0 || labels.some((label) => typeof label !== 'string' || label === ''))
      throw badRule('trustAnnotationsOf takes the labels of upstreams');
    const text = `trustAnnotationsOf ${labels.map(valueText).join(', ')}`;
    return { ...verdictRule('trust', { server: listOf(labels) }), text, trusts: labels };
  },
};

/**
 * Adds the operator's `trust.annotations` to a policy as a rule, or to "allow everything" if there is no policy. A trust rule never
 * decides, so it is appended, which keeps the index of every other rule as in the file.
 */
export function withTrustedUpstreams(
  trusted: readonly string[],
  policy: readonly GatewayRule[] | undefined,
): readonly GatewayRule[] {
  const trust = trusted.length === 0 ? [] : [gatewayRules.trustAnnotationsOf(...trusted)];
  return [...(policy ?? [gatewayRules.allow({})]), ...trust];
}

function verdictRule(verdict: GatewayRule['verdict'], match: GatewayMatch): GatewayRule {
  const applies = compileGatewayMatch(match, verdict === 'allow' ? 'lenient' : 'strict');
  return { text: `${verdict} ${matchText(match)}`, verdict, match, isVisible: false, trusts: [], applies };
}

function windowMs(per: GatewayBudget['per']): number {
  if (per === 'hour') return HOUR_MS;
  if (per === 'day') return DAY_MS;
  if (isObject(per) && per.ms > 0 && Number.isFinite(per.ms)) return per.ms;
  throw badRule('"per" must be hour, day or { ms }');
}
