/** Whether an act may happen: what the rules say, and where they say ask, what was remembered or is answered now. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { deepFreeze } from '../../model/canonical.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Act } from '../act/act.ts';
import { bindingOf } from '../act/binding.ts';
import type { Decision, Rule, Verdict } from '../act/rule.ts';
import type { AuditRecord, RuleCount } from '../audit/audit.ts';
import { maskText } from '../audit/mask-act.ts';
import { actWarnings } from '../consent/act-warnings.ts';
import type { Approvals } from '../consent/approvals.ts';
import type { Consent, ConsentAnswer, ConsentQuestion } from '../consent/consent.ts';
import { BudgetCounters, type Reservation } from '../policy/budget-counters.ts';
import { decidePolicy } from '../policy/decide-policy.ts';
import type { TaintTracker } from '../policy/taint-tracker.ts';
import { askForConsent } from './ask-for-consent.ts';
import type { PassOptions } from './gate.ts';

/** What was found, for the record and for whoever wanted to act. */
export interface GateDecision {
  readonly id: string;
  /** As it would happen: with what the user changed, and with all that is known of it. */
  readonly act: Act;
  readonly binding: string;
  readonly decision: Decision;
  readonly allowed: boolean;
  /** Why not. */
  readonly why: string;
  readonly cancelled: boolean;
  readonly counts: readonly RuleCount[];
  readonly watched: readonly string[];
  readonly consent?: AuditRecord['consent'];
  readonly approval?: string | undefined;
  readonly remember?: ConsentAnswer['remember'];
  /** Its place among what is counted, as long as it may happen. */
  readonly reservation?: Reservation | undefined;
}

export interface EvaluatorOptions {
  readonly policy: readonly Rule[];
  readonly consent: Consent | undefined;
  readonly approvals: Approvals;
  readonly flow: TaintTracker | undefined;
  readonly clock: Clock;
}

type EvaluationOptions = Pick<PassOptions, 'warnings' | 'editable'> & { readonly signal: AbortSignal };

export class PolicyEvaluator {
  readonly #options: EvaluatorOptions;
  readonly #tallies: BudgetCounters;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#tallies = new BudgetCounters(options.policy);
  }

  async evaluate(id: string, given: Act, asking: EvaluationOptions): Promise<GateDecision> {
    const found = this.#decided(id, given);
    return found.decision.verdict === 'ask' ? this.#agreed(found, asking) : found;
  }

  /** Rules alone, and without a place among what is counted. */
  foresee(given: Act): Verdict {
    const { policy, flow, clock } = this.#options;
    const act = carrying(given, flow?.sourcesIn(given) ?? []);
    return decidePolicy(policy, act, this.#tallies.history(act.session, clock.now())).verdict;
  }

  /** Only what was allowed by an answer has something to remember. */
  async remember({ act, decision, remember }: GateDecision): Promise<void> {
    const { approvals, clock } = this.#options;
    if (remember !== undefined) await approvals.add(act, decision.rule, { remember, now: clock.wall() });
  }

  end(session: string): void {
    this.#tallies.end(session);
  }

  /** Rules alone. What is not denied counts from here on, so that two at once do not both get the last place. */
  #decided(id: string, given: Act): GateDecision {
    const { policy, flow, clock } = this.#options;
    const carried = flow?.sourcesIn(given) ?? [];
    flow?.noteAttempt(given);
    const act = carrying(given, carried);
    const now = clock.now();
    const counts = this.#tallies.counts(act.session, now);
    const decision = decidePolicy(policy, act, this.#tallies.history(act.session, now));
    const { verdict, why } = decision;
    return {
      id,
      act,
      binding: bindingOf(act),
      decision,
      allowed: verdict === 'allow',
      why,
      cancelled: false,
      counts,
      watched: flow?.watched ?? [],
      ...(verdict === 'deny' ? {} : { reservation: this.#tallies.take(act, now) }),
    };
  }

  async #agreed(found: GateDecision, asking: EvaluationOptions): Promise<GateDecision> {
    const { approvals, consent, clock } = this.#options;
    const { act, decision } = found;
    // Where they cannot be read, nothing is remembered, and it is asked again.
    const approval = await approvals.find(act, decision.rule, clock.wall()).catch(() => undefined);
    if (approval !== undefined) return { ...found, allowed: true, approval: approval.id };
    if (consent === undefined) return toDenied(found, `${decision.why}, and there is nobody to ask`);
    const asked = await askForConsent(consent, questionOf(found, asking), asking.signal);
    if (asked.outcome === 'called off') return { ...toDenied(found, 'it was called off'), cancelled: true };
    if (asked.outcome === 'refused') return refusedBy(found, asked.why, asked.reason);
    const { answer, edited } = asked;
    const said = { allow: true, edited: edited !== undefined, ...reasonOf(answer.reason) };
    const agreed = { ...found, allowed: true, consent: said, remember: answer.remember };
    return edited === undefined ? agreed : this.#edited(agreed, edited);
  }

  /** Changed arguments make another act: what the rules deny stays denied, whoever wrote it. */
  #edited(agreed: GateDecision, edited: JsonObject): GateDecision {
    agreed.reservation?.release();
    const again = this.#decided(agreed.id, { ...agreed.act, arguments: edited });
    const { consent, remember } = agreed;
    if (again.decision.verdict === 'deny') return { ...again, consent };
    return { ...again, allowed: true, consent, remember };
  }
}

function questionOf(
  { id, act, binding, decision }: GateDecision,
  { warnings = [], editable }: EvaluationOptions,
): ConsentQuestion {
  return deepFreeze({
    id,
    act,
    binding,
    why: decision.why,
    warnings: [...warnings, ...actWarnings(act)],
    editable: editable === true,
  });
}

const carrying = (act: Act, labels: readonly string[]): Act =>
  deepFreeze({ ...act, carries: [...new Set([...act.carries, ...labels])] });

/** Its place is free again. */
export function toDenied(found: GateDecision, why: string): GateDecision {
  found.reservation?.release();
  const { reservation: _, ...rest } = found;
  return { ...rest, allowed: false, why };
}

function refusedBy(found: GateDecision, why: string, reason: string | undefined): GateDecision {
  const said = reasonOf(reason);
  const words = said.reason === undefined ? why : `${why}: ${said.reason}`;
  return { ...toDenied(found, words), consent: { allow: false, edited: false, ...said } };
}

const reasonOf = (reason: string | undefined): { readonly reason?: string } =>
  reason === undefined ? {} : { reason: maskText(reason) };
