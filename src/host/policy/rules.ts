/** The rules that a policy is made of. */
import { checkOptions } from '../../model/check-options.ts';
import type { Act, ActKind } from '../act/act.ts';
import type { BudgetWindow, CountedActs, Rule, Verdict } from '../act/rule.ts';
import { type ActMatch, compileGlob, compileMatch, listOf } from './act-match.ts';
import { badRule, checkLimits } from './check-match.ts';
import { matchFacts, matchText, valueText } from './rule-text.ts';

/** How much may be used, and in which time. */
export interface BudgetLimits {
  readonly calls?: number;
  /** What acts say that they may cost; sampling does. */
  readonly tokens?: number;
  readonly per: 'session' | 'hour' | 'day' | { readonly ms: number };
}

/** What happens when text is about to flow, and how strictly. */
export interface FlowOptions {
  /** What happens to an act that carries such text along. */
  readonly verdict?: 'deny' | 'ask';
  /** Ask before anything is done there, once anything of `from` was read in the same session; text can be put in other words. */
  readonly after?: 'read';
}

const HOUR_MS = 3_600_000;
const DAY_MS: number = 24 * HOUR_MS;

/** Acts that bring text of a server into the session. */
const reading: readonly ActKind[] = [
  ...['tool', 'resource', 'prompt', 'completion', 'extension', 'skill'],
  ...['sampling', 'elicitation', 'message', 'context'],
] as const;
/** Acts that open a way to a server, or stay with the user: nothing of the session goes there. */
const inward: readonly ActKind[] = ['spawn', 'connect', 'message', 'context', 'download'];

/** The rules there are. First that says something wins. */
interface Rules {
  allow(match: ActMatch): Rule;
  ask(match: ActMatch): Rule;
  deny(match: ActMatch): Rule;
  budget(match: ActMatch, limits: BudgetLimits): Rule;
  noFlow(from: string | readonly string[], to: string | readonly string[], options?: FlowOptions): Rule;
  trustAnnotationsOf(...labels: readonly string[]): Rule;
}

/** What policies are made of. The first rule that matches decides; no match asks. */
export const rules: Rules = {
  /** Lets it happen. */
  allow: (match: ActMatch): Rule => verdictRule('allow', match),
  /** Asks first. */
  ask: (match: ActMatch): Rule => verdictRule('ask', match),
  deny: (match: ActMatch): Rule => verdictRule('deny', match),
  budget,
  noFlow,
  trustAnnotationsOf,
};

function verdictRule(verdict: Verdict, match: ActMatch): Rule {
  const applies = compileMatch(match, verdict === 'allow' ? 'lenient' : 'strict');
  return {
    text: `${verdict} ${matchText(match)}`,
    decide: (act) => (applies(act) ? { verdict, why: matchFacts(match, act) } : undefined),
  };
}

/** Denies what goes beyond it, and leaves everything else to the rules after it. */
function budget(match: ActMatch, limits: BudgetLimits): Rule {
  checkLimits(limits, { calls: true, tokens: true, per: true });
  const { calls, tokens, per } = limits;
  const within = windowOf(per);
  if (calls === undefined && tokens === undefined) throw badRule('a budget limits "calls", "tokens" or both');
  for (const limit of [calls, tokens])
    if (limit !== undefined && !(limit >= 0)) throw badRule('a budget is a number that is not negative');
  const of = compileMatch(match, 'strict');
  const counts: CountedActs = { of, within };
  const span = typeof per === 'string' ? per : `${per.ms} ms`;
  const allowance = [
    ...(calls === undefined ? [] : [`${calls} calls`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  return {
    text: `budget ${matchText(match)} ${allowance.join(' and ')} per ${span}`,
    counts,
    decide(act, history) {
      if (!of(act)) return undefined;
      const [made, spent] = [history.count(counts), history.tokens(counts)];
      if (calls !== undefined && made >= calls)
        return { verdict: 'deny', why: `${made} of ${calls} calls per ${span} are used up` };
      const wanted = act.tokens ?? 0;
      if (tokens !== undefined && (spent >= tokens || spent + wanted > tokens))
        return {
          verdict: 'deny',
          why: `${spent} of ${tokens} tokens per ${span} are used up, ${wanted} more are wanted`,
        };
      return undefined;
    },
  };
}

function windowOf(per: BudgetLimits['per']): BudgetWindow {
  if (per === 'session') return per;
  if (per === 'hour') return { ms: HOUR_MS };
  if (per === 'day') return { ms: DAY_MS };
  if (typeof per === 'object' && per.ms > 0 && Number.isFinite(per.ms)) return { ms: per.ms };
  throw badRule('"per" must be session, hour, day or { ms }');
}

/** Keeps text of some servers from others. It recognises text, not meaning: see the guide for what it does not see. */
function noFlow(from: string | readonly string[], to: string | readonly string[], options: FlowOptions = {}): Rule {
  checkOptions('The rule', options, { verdict: true, after: true });
  const { verdict = 'deny', after } = options;
  const sources = listOf(from);
  const fromAny = anyOf(sources);
  const toAny = anyOf(listOf(to));
  const counts: CountedActs = {
    of: ({ server, kind }) => fromAny(server) && !toAny(server) && reading.includes(kind),
    within: 'session',
  };
  const details = [
    ...(options.verdict === undefined ? [] : [verdict]),
    ...(after === undefined ? [] : [`after ${after}`]),
  ];
  return {
    text: `noFlow ${valueText(from)} to ${valueText(to)}${details.map((one) => `, ${one}`).join('')}`,
    watches: sources,
    ...(after === undefined ? {} : { counts }),
    decide(act: Act, history) {
      if (!toAny(act.server) || inward.includes(act.kind)) return undefined;
      const carried = act.carries.filter(fromAny);
      if (carried.length > 0) return { verdict, why: `it carries text of ${carried.join(' and ')}` };
      if (after === undefined || history.count(counts) === 0) return undefined;
      return { verdict: 'ask', why: `something of ${valueText(from)} was read in this session` };
    },
  };
}

/** Believes what these servers say of their own tools. Decides nothing by itself, and may stand anywhere. */
function trustAnnotationsOf(...labels: readonly string[]): Rule {
  if (labels.length === 0 || labels.some((label) => typeof label !== 'string' || label === ''))
    throw badRule('trustAnnotationsOf takes the labels of servers');
  return { text: `trustAnnotationsOf ${labels.map(valueText).join(', ')}`, trusts: labels, decide: () => undefined };
}

function anyOf(patterns: readonly string[]): (label: string) => boolean {
  if (patterns.length === 0 || patterns.some((one) => typeof one !== 'string' || one === ''))
    throw badRule('noFlow takes the labels of servers');
  const tests = patterns.map(compileGlob);
  return (label) => tests.some((test) => test(label));
}
