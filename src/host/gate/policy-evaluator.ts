/** Whether an act may happen: what the rules decide, and where they say ask, what was approved before or is answered now. */
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

/** What was decided about an act, for the record and for the caller. */
export interface GateDecision {
  readonly id: string;
  /** As it would happen: with what the user changed, and with all that is known of it. */
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
  /** Counts the act in budgets, as long as it may happen. */
  readonly reservation: Reservation;
}

/** Of an act that is denied. */
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

  /** Never rejects. */
  async evaluate(id: string, given: Act, options: EvaluationOptions): Promise<GateDecision> {
    const decided = this.#decide(id, given);
    await options.onVerdict?.(decided.decision.verdict);
    return decided.decision.verdict === 'ask' ? this.#ask(decided, options) : decided;
  }

  /** The rules alone, and nothing is counted. */
  foresee(given: Act): Verdict {
    const { policy, taint, clock } = this.#options;
    const act = withSources(given, taint?.sourcesIn(given) ?? []);
    return decidePolicy(policy, act, this.#counters.history(act.session, clock.now())).verdict;
  }

  /** Keeps the approval that the user gave with the answer, if any. */
  async remember({ act, decision, remember }: GateDecision): Promise<void> {
    const { approvals, clock } = this.#options;
    if (remember !== undefined) await approvals.add(act, decision.rule, remember, clock.wall());
  }

  endSession(session: string): void {
    this.#counters.endSession(session);
  }

  /** The rules alone. What is not denied counts from here on, so that two acts at once do not both get the last of a budget. */
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
    // Where approvals cannot be read, the user is asked again.
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

  /** Changed arguments make another act: what the rules deny stays denied, also if the user wrote it. */
  #edit(agreed: GateDecision, edited: JsonObject): GateDecision {
    agreed.reservation.release();
    const again = this.#decide(agreed.id, { ...agreed.act, arguments: edited });
    const { consent, remember } = agreed;
    return again.decision.verdict === 'deny' ? { ...again, consent } : { ...again, allowed: true, consent, remember };
  }
}

const withSources = (act: Act, labels: readonly string[]): Act =>
  deepFreeze({ ...act, carries: [...new Set([...act.carries, ...labels])] });

/** How the definition or the server changed while the user was asked; undefined where they are the same. Never rejects. */
async function changeSince(act: Act, current: NonNullable<PassOptions['current']>): Promise<string | undefined> {
  try {
    const now = await current();
    if (now === undefined) return 'the server no longer offers it; it vanished while the user was asked';
    if (now.definition !== act.definition) return 'its definition changed while the user was asked; look at it again';
    if (now.fingerprint !== act.fingerprint) return 'another server answers to its label since the user was asked';
    return undefined;
  } catch (error) {
    const code = error instanceof McpError ? ` (${error.code})` : '';
    return `whether it changed while the user was asked could not be found out${code}`;
  }
}

/** It counts in no budget any more. */
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
