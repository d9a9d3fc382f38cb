/** What the rules of a gateway say of a part: one function for lists and for calls. */
import type { Act } from '../../host/act/act.ts';
import { claimsOf } from '../../host/act/claims.ts';
import { matchFacts } from '../../host/policy/rule-text.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import type { ExposedPart } from '../contract.ts';
import type { CallerFacts, GatewayMatch, RuleSubject } from './gateway-match.ts';
import type { GatewayRule } from './gateway-rules.ts';

/** What the rules say, and which of them. */
export interface GatewayDecision {
  readonly act: Act;
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  /** Where the rule stands in the policy; behind all of them where none matches. */
  readonly place: number;
  readonly why: string;
  /** The caller can know which rule denies it. */
  readonly isVisible: boolean;
  /** Rules before it that count such calls. */
  readonly budgets: readonly GatewayRule[];
  /** Rules before it that are about some arguments and not others. */
  readonly undecided: readonly GatewayRule[];
}

/**
 * The first rule that matches decides, and where none does, it is denied. Where arguments are not known, a rule that denies only
 * some of them is passed over: it denies the rest at the call.
 */
export function decideRequest(policy: readonly GatewayRule[], subject: RuleSubject): GatewayDecision {
  const budgets: GatewayRule[] = [];
  const undecided: GatewayRule[] = [];
  let place = -1;
  for (const rule of policy) {
    place++;
    const { verdict } = rule;
    const matches = verdict === 'trust' ? 'no' : rule.applies(subject);
    if (matches === 'no' || verdict === 'trust') continue;
    if (verdict === 'budget') budgets.push(rule);
    else if (verdict === 'deny' && matches === 'perhaps') undecided.push(rule);
    else {
      if (matches === 'perhaps') undecided.push(rule);
      const { text, isVisible, match } = rule;
      return {
        ...{ act: subject.act, verdict, rule: text, place, isVisible, budgets, undecided },
        // Lists do not need it.
        get why() {
          return whyOf(match, subject);
        },
      };
    }
  }
  const [why, { act }] = ['no rule matches', subject];
  return { act, verdict: 'deny', rule: 'none', place: policy.length, why, isVisible: false, budgets, undecided };
}

export const isListed = ({ verdict, isVisible }: GatewayDecision): boolean => verdict !== 'deny' || isVisible;

/** The labels whose annotations some rule believes. */
export const trustedLabels = (policy: readonly GatewayRule[]): ReadonlySet<string> =>
  new Set(policy.flatMap(({ trusts }) => trusts));

/** Without arguments, the subject of a list. */
export function ruleSubject(
  { label, kind, key, definition, status }: ExposedPart,
  caller: CallerFacts,
  trusted: ReadonlySet<string>,
  args?: JsonObject,
): RuleSubject {
  const claims = kind === 'tool' ? claimsOf(definition['annotations']) : readOnly;
  const about = {
    kind: kind === 'template' ? ('resource' as const) : kind,
    server: label,
    name: key,
    arguments: args ?? {},
    principal: caller.subject ?? '',
    effects: trusted.has(label) ? claims.claimed : ('unknown' as const),
    status,
    carries: [],
  };
  // Not by a spread, which every call would pay for.
  return {
    act: Object.assign(about, claims),
    caller,
    hasArguments: args !== undefined,
    hasName: args !== undefined || kind !== 'template',
  };
}

const readOnly = { claimed: 'read', openWorld: false } as const;

/** The facts that a rule looked at. What depends on the caller is said without values of claims. */
function whyOf(match: GatewayMatch, { act, caller }: RuleSubject): string {
  const { view, client, scopes, lacks, claims, ...rest } = match;
  const ofCaller = [
    ...(view === undefined ? [] : [`view is ${printable(caller.view)}`]),
    ...(client === undefined ? [] : [`client is ${printable(caller.clientId ?? '')}`]),
    ...(scopes === undefined ? [] : [`the caller has ${scopeText(scopes)}`]),
    ...(lacks === undefined ? [] : [`the caller does not have ${scopeText(lacks)}`]),
    ...Object.keys(claims ?? {}).map((path) => `the claim ${printable(path)} matches`),
  ];
  if (ofCaller.length === 0) return matchFacts(rest, act);
  return [...(Object.keys(rest).length === 0 ? [] : [matchFacts(rest, act)]), ...ofCaller].join(', ');
}

const scopeText = (scopes: string | readonly string[]): string =>
  typeof scopes === 'string' ? `the scope ${printable(scopes)}` : `the scopes ${scopes.map(printable).join(' ')}`;

/** What a caller can do with a part, and why: what `mooring gateway explain` prints. */
export interface PolicyExplanation {
  readonly isListed: boolean;
  /** What the rules say of a call, as far as that does not depend on arguments. */
  readonly verdict: GatewayDecision['verdict'];
  readonly rule: string;
  readonly why: string;
  /** Rules that need the arguments to decide: those that can deny before this one, and this one itself. */
  readonly onArguments: readonly string[];
  /** Rules that deny once a count is used up. */
  readonly budgets: readonly string[];
}

/** Pure: needs no running gateway. */
export function explainPart(policy: readonly GatewayRule[], part: ExposedPart, caller: CallerFacts): PolicyExplanation {
  const decision = decideRequest(policy, ruleSubject(part, caller, trustedLabels(policy)));
  const { verdict, rule, why, undecided, budgets } = decision;
  const textOf = ({ text }: GatewayRule): string => text;
  const onArguments = undecided.map(textOf);
  return { isListed: isListed(decision), verdict, rule, why, onArguments, budgets: budgets.map(textOf) };
}
