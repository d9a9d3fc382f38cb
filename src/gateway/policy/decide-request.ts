/** Evaluates the gateway's rules: the same function decides lists and calls. */
import type { Act } from '../../host/act/act.ts';
import { claimsOf } from '../../host/act/claims.ts';
import { matchFacts } from '../../host/policy/rule-text.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { printable } from '../../model/printable.ts';
import type { ExposedPart } from '../contract.ts';
import type { CallerFacts, GatewayMatch, RuleSubject } from './gateway-match.ts';
import type { GatewayRule } from './gateway-rules.ts';

/** The verdict, and the rule that produced it. */
export interface GatewayDecision {
  readonly act: Act;
  readonly verdict: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  /** The index of the rule; the length of the policy if none matches. */
  readonly place: number;
  readonly why: string;
  /** Whether the caller learns which rule denies. */
  readonly isVisible: boolean;
  /** Earlier budget rules that count this call. */
  readonly budgets: readonly GatewayRule[];
  /** Earlier rules whose match depends on the unknown arguments. */
  readonly undecided: readonly GatewayRule[];
}

/**
 * The first matching rule decides; without a match, the request is denied. For a list, arguments are unknown: a deny rule that depends
 * on them is skipped, and applies when the tool is called.
 */
export function decideRequest(policy: readonly GatewayRule[], subject: RuleSubject): GatewayDecision {
  const budgets: GatewayRule[] = [];
  const undecided: GatewayRule[] = [];
  let place = -1;
  for (const rule of policy) {
    place++;
    const { verdict } = rule;
    if (verdict === 'trust') continue;
    const matches = rule.applies(subject);
    if (matches === 'no') continue;
    if (verdict === 'budget') {
      budgets.push(rule);
      continue;
    }
    if (matches === 'perhaps') undecided.push(rule);
    if (verdict === 'deny' && matches === 'perhaps') continue;
    const { text, isVisible, match } = rule;
    return {
      ...{ act: subject.act, verdict, rule: text, place, isVisible, budgets, undecided },
      // Lazy: lists do not need it.
      get why() {
        return whyOf(match, subject);
      },
    };
  }
  const [why, { act }] = ['no rule matches', subject];
  return { act, verdict: 'deny', rule: 'none', place: policy.length, why, isVisible: false, budgets, undecided };
}

export const isListed = ({ verdict, isVisible }: GatewayDecision): boolean => verdict !== 'deny' || isVisible;

/** Labels of upstreams whose annotations a rule trusts. */
export const trustedLabels = (policy: readonly GatewayRule[]): ReadonlySet<string> =>
  new Set(policy.flatMap(({ trusts }) => trusts));

/** What rules match on. Without `args`, it is for a list. */
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
  // Object.assign is faster than a spread here, on the path of every call.
  return {
    act: Object.assign(about, claims),
    caller,
    hasArguments: args !== undefined,
    hasName: args !== undefined || kind !== 'template',
  };
}

const readOnly = { claimed: 'read', openWorld: false } as const;

/** What the rule matched on, in words. Values of claims are left out. */
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

/** Whether a caller can see and call a part, and why; printed by `mooring gateway explain`. */
export interface PolicyExplanation {
  readonly isListed: boolean;
  /** The verdict for a call, as far as it is independent of arguments. */
  readonly verdict: GatewayDecision['verdict'];
  readonly rule: string;
  readonly why: string;
  /** Rules that depend on arguments: earlier ones that can deny, and the deciding one. */
  readonly onArguments: readonly string[];
  /** Budget rules that can deny. */
  readonly budgets: readonly string[];
}

export function explainPart(policy: readonly GatewayRule[], part: ExposedPart, caller: CallerFacts): PolicyExplanation {
  const decision = decideRequest(policy, ruleSubject(part, caller, trustedLabels(policy)));
  const { verdict, rule, why, undecided, budgets } = decision;
  const textOf = ({ text }: GatewayRule): string => text;
  const onArguments = undecided.map(textOf);
  return { isListed: isListed(decision), verdict, rule, why, onArguments, budgets: budgets.map(textOf) };
}
