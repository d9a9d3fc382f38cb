/** The rules that the policy of a gateway is made of. */
import { listOf } from '../../host/policy/act-match.ts';
import { badRule, checkLimits } from '../../host/policy/check-match.ts';
import { matchText, valueText } from '../../host/policy/rule-text.ts';
import { isObject } from '../../jsonrpc/message.ts';
import { compileGatewayMatch, type GatewayMatch, type MatchCertainty, type RuleSubject } from './gateway-match.ts';

/** One rule: its verdict and its match as data, so that a list knows what it would say without arguments. */
export interface GatewayRule {
  /** As it is shown: `deny { server: shop, name: refund }`. */
  readonly text: string;
  /** `budget` denies once it is used up, and otherwise leaves it to the next rule; `trust` decides nothing. */
  readonly verdict: 'allow' | 'ask' | 'deny' | 'budget' | 'trust';
  readonly match: GatewayMatch;
  /** A denied part is listed, and a call of it says which rule denies it. */
  readonly isVisible: boolean;
  readonly limit?: CallLimit | undefined;
  /** Upstreams whose annotations are believed. */
  readonly trusts: readonly string[];
  applies(subject: RuleSubject): MatchCertainty;
}

/** How many calls may be made in a sliding window. */
export interface CallLimit {
  readonly calls: number;
  readonly perMs: number;
  /** Counted for all callers together, not for each person. */
  readonly isShared?: boolean | undefined;
}

/** What a budget allows. */
export interface GatewayBudget {
  readonly calls: number;
  readonly per: 'hour' | 'day' | { readonly ms: number };
  /** Counted for each person, or for all together. `principal`. */
  readonly for?: 'principal' | 'all';
}

/** Denies more visibly. */
export interface DenyOptions {
  /** Lists what is denied, and says which rule denies it. */
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

/** What policies of gateways are made of. The first rule that matches decides; no match denies. */
export const gatewayRules: GatewayRules = {
  allow: (match) => verdictRule('allow', match),
  /** Asks the caller's user before anything is sent. */
  ask: (match) => verdictRule('ask', match),
  /** What is denied is not listed, unless it is `visible`. */
  deny: (match, { visible = false } = {}) => ({
    ...verdictRule('deny', match),
    text: `deny ${matchText(match)}${visible ? ' visible' : ''}`,
    isVisible: visible,
  }),
  /** Counts in this process. */
  budget(match, budget) {
    checkLimits(budget);
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
  /** Believes what these upstreams say of their own tools. */
  trustAnnotationsOf(...labels) {
    if (labels.length === 0 || labels.some((label) => typeof label !== 'string' || label === ''))
      throw badRule('trustAnnotationsOf takes the labels of upstreams');
    const text = `trustAnnotationsOf ${labels.map(valueText).join(', ')}`;
    return { ...verdictRule('trust', { server: listOf(labels) }), text, trusts: labels };
  },
};

/**
 * The rules of a gateway, where upstreams that are trusted have a say. Without any, everything is allowed. What is trusted comes last,
 * wherever it stands it decides nothing: so a rule has the same place here as in its file.
 */
export function rulesTrusting(
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
