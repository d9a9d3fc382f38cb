/** Decides about an act: by the rules and, if they require consent, by a stored approval or the user's answer. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import type { Clock } from '../../peer/clock.ts';
import type { Act } from '../act/act.ts';
import { bindingOf } from '../act/binding.ts';
import type { Decision, Rule, Verdict } from '../act/rule.ts';
import type { AuditRecord, RuleCount } from '../audit/audit.ts';
import { maskText } from '../audit/mask-act.ts';
import { actWarnings } from '../consent/act-warnings.ts';
import type { Approvals } from '../consent/approvals.ts';
import type { Consent, ConsentAnswer } from '../consent/consent.ts';
import { BudgetCounters, type Reservation } from '../policy/budget-counters.ts';
import { decidePolicy } from '../policy/decide-policy.ts';
import type { TaintTracker } from '../policy/taint-tracker.ts';
import { askForConsent } from './ask-for-consent.ts';
import type { PassOptions } from './gate.ts';

/** The decision about an act, with everything that the audit record needs. */
export interface GateDecision {
  readonly id: string;
  /** The act with the user's edits and tainted sources. */
  readonly act: Act;
  readonly binding: string;
  readonly decision: Decision;
  readonly allowed: boolean;
  readonly why: string;
  readonly cancelled: boolean;
  readonly counts: readonly RuleCount[];
  readonly watched: readonly string[];
  readonly consent?: AuditRecord['consent'];
  readonly approval?: string | undefined;
  readonly remember?: ConsentAnswer['remember'];
  /** The act's share of the budgets. */
  readonly reservation: Reservation;
}

/** For a denied act. */
const noReservation: Reservation = { release: () => undefined, settle: () => undefined };

export interface EvaluatorOptions {
  readonly policy: readonly Rule[];
  readonly consent: Consent | undefined;
  readonly approvals: Approvals;
  readonly taint: TaintTracker | undefined;
  readonly clock: Clock;
}

type EvaluationOptions = Pick<PassOptions, 'warnings' | 'editable' | 'current' | 'onVerdict'> & {
  readonly signal: AbortSignal;
};

export class PolicyEvaluator {
  readonly #options: EvaluatorOptions;
  readonly #counters: BudgetCounters;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
    this.#counters = new BudgetCounters(options.policy);
  }

  /** Decides about an act. Rejects only if `onVerdict` does. */
  async evaluate(id: string, given: Act, options: EvaluationOptions): Promise<GateDecision> {
    const decided = this.#decide(id, given);
    await options.onVerdict?.(decided.decision.verdict);
    return decided.decision.verdict === 'ask' ? this.#ask(decided, options) : decided;
  }

  /** Evaluates only the rules, and counts nothing. */
  foresee(given: Act): Verdict {
    const { policy, taint, clock } = this.#options;
    const act = withSources(given, taint?.sourcesIn(given) ?? []);
    return decidePolicy(policy, act, this.#counters.history(act.session, clock.now())).verdict;
  }

  /** Stores the approval, if the user chose to remember the answer. */
  async remember({ act, decision, remember }: GateDecision): Promise<void> {
    const { approvals, clock } = this.#options;
    if (remember !== undefined) await approvals.add(act, decision.rule, remember, clock.wall());
  }

  endSession(session: string): void {
    this.#counters.endSession(session);
  }

  /** Evaluates the rules, and reserves the budget unless denied: of two concurrent acts, only one gets the rest of a budget. */
  #decide(id: string, given: Act): GateDecision {
    const { policy, taint, clock } = this.#options;
    const act = withSources(given, taint?.sourcesIn(given) ?? []);
    taint?.noteAttempt(given);
    const now = clock.now();
    const counts = this.#counters.counts(act.session, now);
    const decision = decidePolicy(policy, act, this.#counters.history(act.session, now));
    const { verdict, why } = decision;
    const watched = taint?.watched ?? [];
    const found = { id, act, binding: bindingOf(act), decision, allowed: verdict === 'allow', why, counts, watched };
    const reservation = verdict === 'deny' ? noReservation : this.#counters.reserve(act, now);
    return { ...found, cancelled: false, reservation };
  }

  async #ask(
    found: GateDecision,
    { signal, warnings = [], editable, current }: EvaluationOptions,
  ): Promise<GateDecision> {
    const { approvals, consent, clock } = this.#options;
    const { id, act, binding, decision } = found;
    // If the stored approvals are unreadable, asks the user again.
    const approval = decision.once
      ? undefined
      : await approvals.find(act, decision.rule, clock.wall()).catch(() => undefined);
    if (approval !== undefined) return { ...found, allowed: true, approval: approval.id };
    if (consent === undefined) return toDenied(found, `${decision.why}, and no user can be asked`);
    const { rule, why, once } = decision;
    const question = {
      ...{ id, act, binding, rule, why },
      warnings: [...warnings, ...actWarnings(act)],
      ...{ editable: editable === true, canRemember: once !== true },
    };
    const asked = await askForConsent(consent, deepFreeze(question), signal);
    if (asked.outcome === 'cancelled') return { ...toDenied(found, 'it was cancelled'), cancelled: true };
    if (asked.outcome === 'declined') return toDeclined(found, asked.why, asked.reason);
    const { answer, edited } = asked;
    const given = { allow: true, edited: edited !== undefined, ...maskedReason(answer.reason) };
    const agreed = { ...found, allowed: true, consent: given, remember: decision.once ? undefined : answer.remember };
    const allowed = edited === undefined ? agreed : this.#edit(agreed, edited);
    const change = current === undefined || !allowed.allowed ? undefined : await changeSince(allowed.act, current);
    return change === undefined ? allowed : toDenied(allowed, change);
  }

  /** Evaluates the rules again for edited arguments: a denial holds even if the user made the edit. */
  #edit(agreed: GateDecision, edited: JsonObject): GateDecision {
    agreed.reservation.release();
    const again = this.#decide(agreed.id, { ...agreed.act, arguments: edited });
    const { consent, decision } = agreed;
    if (again.decision.verdict === 'deny') return { ...again, consent };
    // The user agreed to the rule that asked. An approval of another one would replace questions that the user never saw.
    const remember = again.decision.rule === decision.rule ? agreed.remember : undefined;
    return { ...again, allowed: true, consent, remember };
  }
}

const withSources = (act: Act, labels: readonly string[]): Act =>
  deepFreeze({ ...act, carries: [...new Set([...act.carries, ...labels])] });

/** Describes a change of the definition or the server since the question; undefined if both are the same. Never rejects. */
async function changeSince(act: Act, current: NonNullable<PassOptions['current']>): Promise<string | undefined> {
  try {
    const now = await current();
    if (now === undefined) return 'the server no longer offers it; it vanished while the user was asked';
    if (now.definition !== act.definition) return 'its definition changed while the user was asked; look at it again';
    if (now.fingerprint !== act.fingerprint)
      return 'another server took over its label while the user was asked; look at it again';
    return undefined;
  } catch (error) {
    const code = error instanceof McpError ? ` (${error.code})` : '';
    return `a check whether it changed while the user was asked failed${code}`;
  }
}

/** Turns the decision into a denial, and returns its share of the budgets. */
function toDenied(found: GateDecision, why: string): GateDecision {
  found.reservation.release();
  return { ...found, allowed: false, why, reservation: noReservation };
}

function toDeclined(found: GateDecision, why: string, reason: string | undefined): GateDecision {
  const masked = maskedReason(reason);
  const text = masked.reason === undefined ? why : `${why}: ${masked.reason}`;
  return { ...toDenied(found, text), consent: { allow: false, edited: false, ...masked } };
}

const maskedReason = (reason: string | undefined): { readonly reason?: string } =>
  reason === undefined ? {} : { reason: maskText(reason) };
