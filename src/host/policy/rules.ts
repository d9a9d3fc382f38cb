/** The constructors of a policy's rules. */
import { checkOptions } from '../../model/check-options.ts';
import type { Act, ActKind } from '../act/act.ts';
import type { BudgetWindow, CountedActs, Rule, Verdict } from '../act/rule.ts';
import { type ActMatch, compileGlob, compileMatch, listOf } from './act-match.ts';
import { badRule, checkLimits } from './check-match.ts';
import { matchFacts, matchText, valueText } from './rule-text.ts';

/** The limits of a budget rule, and their period. */
export interface BudgetLimits {
  readonly calls?: number;
  /** Tokens that acts can cost; only sampling has a cost. */
  readonly tokens?: number;
  readonly per: 'session' | 'hour' | 'day' | { readonly ms: number };
}

/** Options of a `noFlow` rule. */
export interface FlowOptions {
  /** The verdict for an act that carries text of `from`. Default: `deny`. */
  readonly verdict?: 'deny' | 'ask';
  /** Also asks before any act on `to` once the session has read from `from`, because a model can paraphrase text. */
  readonly after?: 'read';
}

const HOUR_MS = 3_600_000;
const DAY_MS: number = 24 * HOUR_MS;

/** Acts that bring text of a server into the session. */
const reading: readonly ActKind[] = [
  ...['tool', 'resource', 'prompt', 'completion', 'extension', 'skill'],
  ...['sampling', 'elicitation', 'message', 'context'],
] as const;
/** Acts that send nothing of the session to a server: they only connect to it, or stay with the user. */
const inward: readonly ActKind[] = ['spawn', 'connect', 'message', 'context', 'download'];

interface Rules {
  allow(match: ActMatch): Rule;
  ask(match: ActMatch): Rule;
  deny(match: ActMatch): Rule;
  budget(match: ActMatch, limits: BudgetLimits): Rule;
  noFlow(from: string | readonly string[], to: string | readonly string[], options?: FlowOptions): Rule;
  trustAnnotationsOf(...labels: readonly string[]): Rule;
}

/** Creates the rules of a policy. The first matching rule decides; without a match, the user is asked. */
export const rules: Rules = {
  /** Allows matching acts. */
  allow: (match: ActMatch): Rule => verdictRule('allow', match),
  /** Asks the user before matching acts. */
  ask: (match: ActMatch): Rule => verdictRule('ask', match),
  /** Denies matching acts. */
  deny: (match: ActMatch): Rule => verdictRule('deny', match),
  budget,
  noFlow,
  trustAnnotationsOf,
};

function verdictRule(verdict: Verdict, match: ActMatch): Rule {
  const applies = compileMatch(match, verdict === 'allow' ? 'lenient' : 'strict');
  return {
    text: `${verdict} ${matchText(match)}`,
    servers: serversIn(match),
    decide: (act) => (applies(act) ? { verdict, why: matchFacts(match, act) } : undefined),
  };
}

/** Denies matching acts beyond the limits, and passes all others to the next rule. */
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
    servers: serversIn(match),
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

/** Stops text of some servers from being sent to others. It recognizes text, not meaning; the guide lists its limits. */
function noFlow(from: string | readonly string[], to: string | readonly string[], options: FlowOptions = {}): Rule {
  checkOptions('The rule', options, { verdict: true, after: true });
  const { verdict = 'deny', after } = options;
  const sources = listOf(from);
  const targets = listOf(to);
  const fromAny = anyOf(sources);
  const toAny = anyOf(targets);
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
    servers: [...sources, ...targets],
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

/** Trusts the tool annotations of these servers. Never decides by itself, so its position does not matter. */
function trustAnnotationsOf(...labels: readonly string[]): Rule {
  if (labels.length === 0 || labels.some((label) => typeof label !== 'string' || label === ''))
    throw badRule('trustAnnotationsOf takes the labels of servers');
  return {
    text: `trustAnnotationsOf ${labels.map(valueText).join(', ')}`,
    servers: labels,
    trusts: labels,
    decide: () => undefined,
  };
}

const serversIn = ({ server = [], under = [] }: ActMatch): readonly string[] => [...listOf(server), ...listOf(under)];

function anyOf(patterns: readonly string[]): (label: string) => boolean {
  if (patterns.length === 0 || patterns.some((one) => typeof one !== 'string' || one === ''))
    throw badRule('noFlow takes the labels of servers');
  const tests = patterns.map(compileGlob);
  return (label) => tests.some((test) => test(label));
}
