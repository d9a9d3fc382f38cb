/** Admits requests in this order: rate limits, rules, the user's approval if a rule asks, audit record. */
import { badDefinition, ToolError } from '../../errors.ts';
import { sha256 } from '../../host/act/binding.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { completedUri, completionValues } from '../../model/completed-uri.ts';
import type { Clock } from '../../peer/clock.ts';
import { sealedTextId } from '../../revisions/asks/aes-gcm.ts';
import { STATE_LIFE_MS } from '../../revisions/asks/seal.ts';
import { askCaller } from '../bridge/ask-caller.ts';
import type { CallStates } from '../bridge/call-states.ts';
import type {
  ExposedPart,
  GatewayMetrics,
  GatewayPolicy,
  GatewayRequest,
  ListingCaller,
  NoteStoreFailure,
  PolicyAdmission,
  RoutedRequest,
} from '../contract.ts';
import { requestedName, unknownPart } from '../names/unknown-part.ts';
import type { GatewaySpec } from '../spec.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { approvalForm, askable, isApproval } from './approval-form.ts';
import { CallerRates, type GatewayRates, personKey } from './caller-rates.ts';
import { decideRequest, type GatewayDecision, isListed, ruleSubject, trustedLabels } from './decide-request.ts';
import { type DecidedRequest, type EndRecord, GatewayAudit, type GatewayAuditSettings } from './gateway-audit.ts';
import { type CallerFacts, readsCaller } from './gateway-match.ts';
import { type GatewayRule, withTrustedUpstreams } from './gateway-rules.ts';
import { ListedParts } from './listed-parts.ts';
import { WindowCounts } from './window-counts.ts';

export interface GatewayPolicySettings {
  /** The first matching rule decides; without a match, the request is denied. */
  readonly policy: readonly GatewayRule[];
  readonly rates?: GatewayRates | undefined;
  /** Survives reloads. */
  readonly counts: WindowCounts;
  readonly audit?: GatewayAuditSettings | undefined;
  readonly states: CallStates;
  readonly clock: Clock;
  readonly metrics?: GatewayMetrics | undefined;
  readonly noteStoreFailure?: NoteStoreFailure | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** The reason that a caller gets for a rule that is not `visible`. */
const HIDDEN = 'a rule of the gateway denies it';

const cannotBeAsked = { action: 'cancel' } as const;

/** Used without rules, rates and audit log. */
const allowAll: GatewayPolicy = {
  dependsOnCaller: false,
  lists: () => true,
  suggests: () => true,
  admit: () => Promise.resolve({ approved: false, end: () => undefined }),
  count: () => Promise.resolve(),
};

/** Creates the policy of a spec. */
export function policyOf(
  { policy, rates, audit }: GatewaySpec,
  upstreams: ReadonlyMap<string, Upstream>,
  parts: Omit<GatewayPolicySettings, 'policy' | 'rates' | 'audit'>,
): GatewayPolicy {
  if (policy === undefined && rates === undefined && audit === undefined) return allowAll;
  // Catches rules of a host and raw rules of a file, which would deny everything without a reason.
  if (policy !== undefined && !(Array.isArray(policy) && policy.every(isGatewayRule)))
    throw badDefinition(
      'The option "policy"',
      'it takes a list of rules that gatewayRules makes, such as [gatewayRules.allow({})]',
    );
  const trusted = [...upstreams].flatMap(([label, { settings }]) =>
    settings.trust.annotations === true ? [label] : [],
  );
  return new RulePolicy({ ...parts, policy: withTrustedUpstreams(trusted, policy), rates, audit });
}

const isGatewayRule = (rule: unknown): boolean => isObject(rule) && typeof rule['applies'] === 'function';

export class RulePolicy implements GatewayPolicy {
  readonly dependsOnCaller: boolean;
  readonly #settings: GatewayPolicySettings;
  readonly #listed: ListedParts = new ListedParts();
  readonly #trusted: ReadonlySet<string>;
  /** The name of each rule in metrics. */
  readonly #places: readonly string[];
  /** States of budgeted calls that were continued, each once. */
  readonly #rounds: WindowCounts;
  readonly #rates: CallerRates;
  readonly #audit: GatewayAudit | undefined;

  constructor(settings: GatewayPolicySettings) {
    const { policy, rates = {}, clock, audit, onWarning } = settings;
    this.#settings = settings;
    this.dependsOnCaller = policy.some(({ match }) => readsCaller(match));
    this.#trusted = trustedLabels(policy);
    this.#places = policy.map((_, place) => `policy.${place}`);
    this.#rounds = new WindowCounts(clock);
    this.#rates = new CallerRates(rates, settings);
    this.#audit = audit && new GatewayAudit(audit, clock, onWarning);
  }

  lists(part: ExposedPart, caller: ListingCaller): boolean {
    const auth = this.dependsOnCaller ? caller.link.auth : undefined;
    return this.#listed.get(part, auth, () => isListed(this.#decide(part, caller)));
  }

  suggests(routed: RoutedRequest, value: string): boolean {
    const params = { ...routed.params, argument: { ...(routed.params['argument'] as JsonObject), value } }; // checkRequest validated its shape
    const completed = { ...routed, params };
    const [part, args] = [decidedPart(completed), argumentsOf(completed)];
    const decision = this.#decide(part, routed, args);
    if (!isListed(decision) || part.kind === 'prompt') return isListed(decision);
    // If an earlier rule denies everything below this path, suggesting the path would reveal that it exists.
    const below = this.#decide({ ...part, key: `${part.key}/` }, routed, args);
    return isListed(below) || below.place > decision.place;
  }

  count(what: 'calls' | 'lists', { link }: GatewayRequest): Promise<void> {
    return this.#rates.take(what, link.auth);
  }

  async admit(routed: RoutedRequest): Promise<PolicyAdmission> {
    if (!isCountedRetry(routed)) await this.count('calls', routed);
    const decision = this.#decide(decidedPart(routed), routed, argumentsOf(routed));
    const { verdict, rule, isVisible } = decision;
    if (verdict !== 'allow') this.#countDecision(decision);
    if (verdict === 'deny') return this.#deny(routed, decision, isVisible ? `${decision.why} (rule: ${rule})` : HIDDEN);
    const approval = verdict === 'allow' ? hasApproval(routed) : await this.#approval(routed, decision);
    if (typeof approval === 'object') return approval;
    const exhausted = this.#chargeBudgets(routed, decision);
    if (verdict === 'allow' || exhausted !== undefined) this.#countDecision(exhausted ?? decision);
    if (exhausted !== undefined) return this.#deny(routed, { ...decision, ...exhausted }, exhausted.why);
    const isAsked = verdict === 'ask' && !hasBegun(routed);
    const end = await this.#write(routed, decision, { allowed: true, ...(isAsked ? { consent: approval } : {}) });
    return { approved: approval, end };
  }

  /** By position: the text of a rule can name callers and hidden parts, and /metrics needs no token. */
  #countDecision({ verdict, place }: CountedDecision): void {
    this.#settings.metrics?.count('policy_total', { verdict, rule: this.#places[place] ?? 'none' });
  }

  #decide(part: ExposedPart, caller: ListingCaller, args?: JsonObject): GatewayDecision {
    const subject = ruleSubject(part, callerFacts(caller), this.#trusted, args);
    return decideRequest(this.#settings.policy, subject);
  }

  /** Whether the user approved, now or in an earlier round; or the `input_required` result that asks. */
  async #approval(routed: RoutedRequest, decision: GatewayDecision): Promise<boolean | PolicyAdmission> {
    const isApproved = hasApproval(routed);
    if (isApproved || routed.retry?.state.stage === 'wait') return isApproved;
    if (hasBegun(routed)) return this.#deny(routed, decision, 'it began before a rule asked for an approval');
    // A session cannot be asked before its handshake has ended.
    const canAsk = askable.has(routed.method) && (!routed.revision.hasSessions || routed.session.ready === true);
    const answer = canAsk ? await askCaller(routed, approvalForm(routed), this.#settings) : cannotBeAsked;
    if ('asks' in answer) (await this.#write(routed, decision, { allowed: false }))('asks');
    if ('asks' in answer || isApproval(answer)) return 'asks' in answer ? answer : true;
    const why = answer.action === 'decline' ? 'the user declined it' : 'a user must approve it, and none did';
    return this.#deny(routed, decision, why, { consent: false });
  }

  /** Charges the budgets once per call, just before it is sent. Returns the exhausted one. */
  #chargeBudgets(routed: RoutedRequest, { budgets }: GatewayDecision): ExhaustedBudget | undefined {
    if (budgets.length === 0 || this.#isCounted(routed)) return undefined;
    const person = personKey(routed.link.auth);
    const counted = budgets.flatMap(({ text, limit }) =>
      limit === undefined
        ? []
        : [{ key: `${limit.isShared ? '' : person}:${sha256(text)}`, limit: limit.calls, perMs: limit.perMs, text }],
    );
    const full = this.#settings.counts.takeAll(counted)?.full;
    if (full === undefined) return undefined;
    const place = this.#settings.policy.findIndex(({ text }) => text === full.text);
    return { verdict: 'deny', rule: full.text, place, why: `${full.limit} of ${full.limit} calls are used up` };
  }

  /** Whether this retry continues a call that was charged before. Replaying a state is a new call, since the upstream executes it again. */
  #isCounted(routed: RoutedRequest): boolean {
    if (!hasBegun(routed) || routed.retry?.state.stage === 'wait') return hasBegun(routed);
    const key = sealedTextId(String(routed.request.params?.['requestState']));
    return this.#rounds.takeAll([{ key, limit: 1, perMs: STATE_LIFE_MS }]) === undefined;
  }

  /** Throws the denial. A part that the caller cannot see gets the error of an unknown name. */
  async #deny(
    routed: RoutedRequest,
    decision: GatewayDecision,
    reason: string,
    details: AskedUser = {},
  ): Promise<never> {
    const { part } = routed;
    const isKnown = this.lists(part, routed);
    const denial = isKnown
      ? new ToolError(`"${part.name}" was denied: ${reason}`)
      : unknownPart(part.kind, requestedName(routed.request));
    // Denies even if the record cannot be written.
    const end = await this.#write(routed, decision, { ...details, allowed: false }).catch(() => undefined);
    end?.('denied');
    throw denial;
  }

  async #write(routed: RoutedRequest, decision: GatewayDecision, details: RecordedDecision): Promise<EndRecord> {
    if (this.#audit === undefined) return () => undefined;
    try {
      return await this.#audit.decided({ routed, decision, ...details });
    } catch {
      throw new ToolError(`"${routed.part.name}" was denied: the audit log could not be written`);
    }
  }
}

type AskedUser = Pick<DecidedRequest, 'consent'>;
type RecordedDecision = Pick<DecidedRequest, 'consent' | 'allowed'>;
type CountedDecision = Pick<GatewayDecision, 'verdict' | 'place'>;
type ExhaustedBudget = Pick<GatewayDecision, 'verdict' | 'place' | 'rule' | 'why'>;

const callerFacts = ({ view, link }: ListingCaller): CallerFacts =>
  // Object.assign is faster than a spread here, on the path of every call.
  Object.assign({ scopes: [] }, link.auth, { view });

/** Retries that were rate-limited when their call started, and whose single-use state or waiting call a rejection would destroy. */
const isCountedRetry = (routed: RoutedRequest): boolean =>
  routed.retry !== undefined && (['policy', 'wait'].includes(routed.retry.state.stage) || hasApproval(routed));

/** The call was sent before; an `ask` rule was answered before that. */
const hasBegun = ({ retry }: RoutedRequest): boolean => retry !== undefined && retry.state.stage !== 'policy';

const hasApproval = ({ retry }: RoutedRequest): boolean =>
  retry !== undefined && 'approved' in retry.state && retry.state.approved === true;

/** The rules for a template's completion match the URI that its values expand to. */
function decidedPart(routed: RoutedRequest): ExposedPart {
  const { part, method } = routed;
  if (method !== 'completion/complete' || part.kind === 'prompt') return part;
  return { ...part, key: completedUri(part.key, argumentsOf(routed)) };
}

/** The rules for a completion match the values that it completes. */
function argumentsOf({ method, params }: RoutedRequest): JsonObject {
  if (method === 'completion/complete') return completionValues(params);
  const { arguments: args } = params;
  return isObject(args) ? args : {};
}
