/** The policy of a gateway: rates, then rules, then the caller's user where a rule asks, then the record. */
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
import { unknownPart } from '../names/unknown-part.ts';
import type { GatewaySpec } from '../spec.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import { approvalForm, askable, isApproval } from './approval-form.ts';
import { CallerRates, type GatewayRates, personKey } from './caller-rates.ts';
import { decideRequest, type GatewayDecision, isListed, ruleSubject, trustedLabels } from './decide-request.ts';
import { type DecidedRequest, type EndRecord, GatewayAudit, type GatewayAuditSettings } from './gateway-audit.ts';
import { type CallerFacts, readsCaller } from './gateway-match.ts';
import { type GatewayRule, rulesTrusting } from './gateway-rules.ts';
import { ListedParts } from './listed-parts.ts';
import { WindowCounts } from './window-counts.ts';

export interface GatewayPolicySettings {
  /** The first rule that matches decides; where none does, it is denied. */
  readonly policy: readonly GatewayRule[];
  readonly rates?: GatewayRates | undefined;
  /** What was counted before a reload. */
  readonly counts: WindowCounts;
  readonly audit?: GatewayAuditSettings | undefined;
  readonly states: CallStates;
  readonly clock: Clock;
  readonly metrics?: GatewayMetrics | undefined;
  readonly noteStoreFailure?: NoteStoreFailure | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** What a caller learns of a rule that is not visible. */
const HIDDEN = 'a rule of the gateway does not allow it';

const cannotBeAsked = { action: 'cancel' } as const;

/** Stages of a call that has begun: an `ask` rule had its answer before. */
const begun: ReadonlySet<string> = new Set(['relay', 'visit', 'wait']);

/** Without rules, rates and audit there is nothing to decide. */
const allowAll: GatewayPolicy = {
  dependsOnCaller: false,
  lists: () => true,
  suggests: () => true,
  admit: () => Promise.resolve({ approved: false, end: () => undefined }),
  count: () => Promise.resolve(),
};

/** The policy that a spec describes. */
export function policyOf(
  { policy, rates, audit }: GatewaySpec,
  upstreams: ReadonlyMap<string, Upstream>,
  parts: Omit<GatewayPolicySettings, 'policy' | 'rates' | 'audit'>,
): GatewayPolicy {
  if (policy === undefined && rates === undefined && audit === undefined) return allowAll;
  // Rules of a host, or those of a file before they were read, would deny everything without a reason.
  if (policy !== undefined && !(Array.isArray(policy) && policy.every(isGatewayRule)))
    throw badDefinition(
      'The option "policy"',
      'it takes a list of rules that gatewayRules makes, such as [gatewayRules.allow({})]',
    );
  const trusted = [...upstreams].flatMap(([label, { settings }]) =>
    settings.trust.annotations === true ? [label] : [],
  );
  return new RulePolicy({ ...parts, policy: rulesTrusting(trusted, policy), rates, audit });
}

const isGatewayRule = (rule: unknown): boolean => isObject(rule) && typeof rule['applies'] === 'function';

export class RulePolicy implements GatewayPolicy {
  readonly dependsOnCaller: boolean;
  readonly #settings: GatewayPolicySettings;
  readonly #listed: ListedParts = new ListedParts();
  readonly #trusted: ReadonlySet<string>;
  /** What metrics call each rule. */
  readonly #places: readonly string[];
  /** States of calls that budgets count, each once. */
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
    const params = { ...routed.params, argument: { ...(routed.params['argument'] as JsonObject), value } }; // its shape was checked
    const completed = { ...routed, params };
    const [part, args] = [decidedPart(completed), argumentsOf(completed)];
    const decision = this.#decide(part, routed, args);
    if (!isListed(decision) || part.kind === 'prompt') return isListed(decision);
    // A rule that comes first denies what is in a folder of this name: the name would say that there is one.
    const below = this.#decide({ ...part, key: `${part.key}/` }, routed, args);
    return isListed(below) || below.place > decision.place;
  }

  count(what: 'calls' | 'lists', { link }: GatewayRequest): Promise<void> {
    return this.#rates.take(what, link.auth);
  }

  async admit(routed: RoutedRequest): Promise<PolicyAdmission> {
    if (!isSpent(routed)) await this.count('calls', routed);
    const decision = this.#decide(decidedPart(routed), routed, argumentsOf(routed));
    const { verdict, rule, place, isVisible } = decision;
    // By its place: the text of a rule names callers and what is kept from them, and metrics are read without a token.
    this.#settings.metrics?.count('policy_total', { verdict, rule: this.#places[place] ?? 'none' });
    if (verdict === 'deny') return this.#deny(routed, decision, isVisible ? `${decision.why} (rule: ${rule})` : HIDDEN);
    const approval = verdict === 'allow' ? hasApproval(routed) : await this.#approval(routed, decision);
    if (typeof approval === 'object') return approval;
    const spent = this.#spend(routed, decision);
    if (spent !== undefined) return this.#deny(routed, { ...decision, ...spent }, spent.why);
    const isAsked = verdict === 'ask' && !hasBegun(routed);
    const end = await this.#write(routed, decision, { allowed: true, ...(isAsked ? { consent: approval } : {}) });
    return { approved: approval, end };
  }

  #decide(part: ExposedPart, caller: ListingCaller, args?: JsonObject): GatewayDecision {
    const subject = ruleSubject(part, callerFacts(caller), this.#trusted, args);
    return decideRequest(this.#settings.policy, subject);
  }

  /** Whether the user approved, now or in an earlier round; or the result that asks. */
  async #approval(routed: RoutedRequest, decision: GatewayDecision): Promise<boolean | PolicyAdmission> {
    const isApproved = hasApproval(routed);
    if (isApproved || routed.retry?.state.stage === 'wait') return isApproved;
    if (hasBegun(routed)) return this.#deny(routed, decision, 'it began before a rule asked for an approval');
    // Nothing is asked before the end of a handshake.
    const canAsk = askable.has(routed.method) && (!routed.revision.hasSessions || routed.session.ready === true);
    const answer = canAsk ? await askCaller(routed, approvalForm(routed), this.#settings) : cannotBeAsked;
    if ('asks' in answer) (await this.#write(routed, decision, { allowed: false }))('asks');
    if ('asks' in answer || isApproval(answer)) return 'asks' in answer ? answer : true;
    const why = answer.action === 'decline' ? 'the user declined it' : 'a user must approve it, and did not';
    return this.#deny(routed, decision, why, { consent: false });
  }

  /** Counts a call once, when it goes to the upstream. */
  #spend(routed: RoutedRequest, { budgets }: GatewayDecision): SpentBudget | undefined {
    if (budgets.length === 0 || this.#isCounted(routed)) return undefined;
    const person = personKey(routed.link.auth);
    const counted = budgets.flatMap(({ text, limit }) =>
      limit === undefined
        ? []
        : [{ key: `${limit.isShared ? '' : person}:${sha256(text)}`, limit: limit.calls, perMs: limit.perMs, text }],
    );
    const full = this.#settings.counts.takeAll(counted)?.full;
    return full && { verdict: 'deny', rule: full.text, why: `${full.limit} of ${full.limit} calls are used up` };
  }

  /** A round of a call that was counted when it began. The same state once more is another call: the upstream acts on it again. */
  #isCounted(routed: RoutedRequest): boolean {
    if (!hasBegun(routed) || routed.retry?.state.stage === 'wait') return hasBegun(routed);
    const key = sealedTextId(String(routed.request.params?.['requestState']));
    return this.#rounds.takeAll([{ key, limit: 1, perMs: STATE_LIFE_MS }]) === undefined;
  }

  /** Of what is listed, a caller learns that it is denied. What is not listed is not known. */
  async #deny(routed: RoutedRequest, decision: GatewayDecision, told: string, facts: AskedUser = {}): Promise<never> {
    const { part } = routed;
    const isKnown = this.lists(part, routed);
    const denial = isKnown ? new ToolError(`"${part.name}" was denied: ${told}`) : unknownPart(part.kind, part.name);
    // Whether or not that could be written down.
    const end = await this.#write(routed, decision, { ...facts, allowed: false }).catch(() => undefined);
    end?.('denied');
    throw denial;
  }

  async #write(routed: RoutedRequest, decision: GatewayDecision, facts: RecordedDecision): Promise<EndRecord> {
    if (this.#audit === undefined) return () => undefined;
    try {
      return await this.#audit.decided({ routed, decision, ...facts });
    } catch {
      throw new ToolError(`"${routed.part.name}" was denied: its record could not be written`);
    }
  }
}

type AskedUser = Pick<DecidedRequest, 'consent'>;
type RecordedDecision = Pick<DecidedRequest, 'consent' | 'allowed'>;
type SpentBudget = Pick<GatewayDecision, 'verdict' | 'rule' | 'why'>;

const callerFacts = ({ view, link }: ListingCaller): CallerFacts =>
  // Not by a spread, which every call would pay for.
  Object.assign({ scopes: [] }, link.auth, { view });

/** States that open once, and calls that wait: what they go on with was counted before, and would be lost. */
const isSpent = (routed: RoutedRequest): boolean =>
  routed.retry !== undefined && (['policy', 'wait'].includes(routed.retry.state.stage) || hasApproval(routed));

const hasBegun = ({ retry }: RoutedRequest): boolean => retry !== undefined && begun.has(retry.state.stage);

const hasApproval = ({ retry }: RoutedRequest): boolean =>
  retry !== undefined && 'approved' in retry.state && retry.state.approved === true;

/** A completion of a template is decided by the URI that its values lead to. */
function decidedPart(routed: RoutedRequest): ExposedPart {
  const { part, method } = routed;
  if (method !== 'completion/complete' || part.kind === 'prompt') return part;
  return { ...part, key: completedUri(part.key, argumentsOf(routed)) };
}

/** Completions are decided by the arguments that they name. */
function argumentsOf({ method, params }: RoutedRequest): JsonObject {
  if (method === 'completion/complete') return completionValues(params);
  const { arguments: args } = params;
  return isObject(args) ? args : {};
}
