/** Implements the gate: evaluates rules and consent, writes the audit record, and only then runs the act. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { McpError, messageOf, RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { deepFreeze } from '../../model/deep-freeze.ts';
import { printable } from '../../model/printable.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { Warnings } from '../../peer/warnings.ts';
import type { Act } from '../act/act.ts';
import type { Rule, Verdict } from '../act/rule.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import { maskAct, maskText } from '../audit/mask-act.ts';
import { type ApprovalStore, Approvals, memoryApprovals, type RememberedApprovals } from '../consent/approvals.ts';
import type { Consent, ConsentFunction } from '../consent/consent.ts';
import { Leases } from '../lease/leases.ts';
import { TaintTracker } from '../policy/taint-tracker.ts';
import { asConsent } from './ask-for-consent.ts';
import type { Gate, PassOptions, Permit } from './gate.ts';
import { type GateDecision, PolicyEvaluator } from './policy-evaluator.ts';

const MAX_OUTCOME = 200;
/** Acts whose records stay in memory, so that `explain` need not read the audit log. */
const MAX_EXPLAINED = 1_000;

export interface GateOptions {
  /** The first matching rule decides. Without a match, the user is asked. */
  readonly policy: readonly Rule[];
  /** Asks the user. Without it, acts that need consent are denied. */
  readonly consent?: Consent | ConsentFunction | undefined;
  /** The audit log. Without it, `explain` knows only recent acts. */
  readonly audit?: Audit | undefined;
  /** Stores approvals with an expiry time. Default: in memory. */
  readonly approvals?: ApprovalStore | undefined;
  /** What may be sent for the acts that run, shared with the servers' connections. */
  readonly leases?: Leases | undefined;
  readonly clock?: Clock | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export class GateKeeper implements Gate {
  /** What may be sent for the acts that run; every connection checks it before it writes. */
  readonly leases: Leases;
  readonly attended: boolean;
  readonly #approvals: Approvals;
  readonly #clock: Clock;
  readonly #audit: Audit | undefined;
  readonly #evaluator: PolicyEvaluator;
  readonly #taint: TaintTracker | undefined;
  readonly #recent: Map<string, readonly AuditRecord[]> = new Map();
  readonly #warnings: Warnings;
  readonly #closing: AbortController = new AbortController();

  constructor(options: GateOptions) {
    const { policy, audit, approvals = memoryApprovals(), clock = systemClock } = options;
    const consent = options.consent === undefined ? undefined : asConsent(options.consent);
    const watched = policy.flatMap(({ watches = [] }) => watches);
    this.attended = consent !== undefined && consent.later !== true;
    this.leases = options.leases ?? new Leases();
    this.#clock = clock;
    this.#audit = audit;
    this.#warnings = new Warnings(options.onWarning);
    this.#approvals = new Approvals(approvals);
    this.#taint = watched.length === 0 ? undefined : new TaintTracker(watched);
    this.#evaluator = new PolicyEvaluator({ policy, consent, approvals: this.#approvals, taint: this.#taint, clock });
    // Every pending act adds a listener; avoids MaxListenersExceededWarning.
    setMaxListeners(0, this.#closing.signal);
  }

  async pass<T>(act: Act, run: (permit: Permit) => Promise<T>, options: PassOptions = {}): Promise<T> {
    const closed = this.#closing.signal;
    const signal = options.signal ?? closed;
    const cancelledBy = (): AbortSignal | undefined => [closed, signal].find(({ aborted }) => aborted);
    const early = cancelledBy();
    if (early !== undefined) throw cancellation(act, early);
    const decision = await this.#evaluator.evaluate(randomUUID(), frozenCopyOf(act), { ...options, signal });
    try {
      await this.#write(decision, 'decided', { task: this.#taskOf(act, options) });
    } catch (cause) {
      decision.reservation.release();
      // The model reads the reason of a denial, so the details of the file error go to onWarning instead.
      this.#warnings.once(`Actions are denied, because the audit log cannot be written: ${messageOf(cause)}`);
      throw denial({ ...decision, why: 'the audit log could not be written' }, cause);
    }
    if (!decision.allowed) throw decision.cancelled ? cancellation(decision.act, signal) : denial(decision);
    await this.#evaluator
      .remember(decision)
      .catch((error: unknown) => this.#warn('An approval could not be stored', error));
    const late = cancelledBy();
    if (late !== undefined) {
      decision.reservation.release();
      await this.#finish(decision, 'failed', { outcome: 'cancelled', task: this.#taskOf(act, options) });
      throw cancellation(decision.act, late);
    }
    return this.#run(decision, run, options);
  }

  foresee(act: Act): Verdict {
    return this.#evaluator.foresee(frozenCopyOf(act));
  }

  /** Returns the records of an act: the deciding rule, the facts, and the user's consent. */
  async explain(id: string): Promise<readonly AuditRecord[]> {
    const recent = this.#recent.get(id);
    // The first record of an act that took long can have been evicted.
    return recent?.[0]?.phase === 'decided' ? recent : ((await this.#audit?.read?.(id)) ?? recent ?? []);
  }

  readonly approvals: RememberedApprovals = {
    list: () => this.#approvals.list(this.#clock.wall()),
    revoke: (id) => this.#approvals.revoke(id),
  };

  /** Removes the approvals, budget counters and taint data of a session. */
  endSession(session: string): void {
    this.#approvals.endSession(session);
    this.#evaluator.endSession(session);
    this.#taint?.endSession(session);
  }

  /** Cancels acts without a signal of their own, rejects later ones, and closes the audit log. */
  async close(): Promise<void> {
    this.#closing.abort(new McpError('MCP_CLOSED', { why: 'the host was closed' }));
    await this.#audit?.close?.();
  }

  async #run<T>(decision: GateDecision, run: (permit: Permit) => Promise<T>, options: PassOptions): Promise<T> {
    const { id, act } = decision;
    let task = this.#taskOf(act, options);
    let recorded: Promise<void> = Promise.resolve();
    const lease = this.leases.open(act);
    const noteTask = (taskId: string): void => {
      task = taskId;
      recorded = this.#finish(decision, 'working', { task });
    };
    try {
      const learn = (said: string): void => this.#taint?.learn(act, said);
      const result = await run({ id, arguments: act.arguments, learn, noteTask });
      lease.close(true);
      this.#taint?.learn(act, result);
      const spent = this.#describe(() => options.tokens?.(result));
      if (spent !== undefined && spent >= 0) decision.reservation.settle(spent);
      const outcome = this.#describe(() => options.outcome?.(result));
      await recorded;
      await this.#finish(decision, 'done', { outcome, task });
      return result;
    } catch (error) {
      lease.close(false);
      this.#taint?.learn(act, textOf(error));
      await recorded;
      await this.#finish(decision, 'failed', { outcome: kindOf(error), task });
      throw error;
    }
  }

  /** The act is done, so an exception in a caller's `tokens` or `outcome` only warns. */
  #describe<R>(describe: () => R): R | undefined {
    try {
      return describe();
    } catch (error) {
      this.#warn('The outcome of an action could not be described', error);
      return undefined;
    }
  }

  /** The act is done, so a failed write only warns. The next act is denied, because its own record cannot be written. */
  async #finish(decision: GateDecision, phase: 'working' | 'done' | 'failed', facts: RecordFacts): Promise<void> {
    try {
      await this.#write(decision, phase, facts);
    } catch (error) {
      this.#warn(`The ${phase === 'working' ? 'start of a task' : 'end of an action'} was not recorded`, error);
    }
  }

  async #write(of: GateDecision, phase: AuditRecord['phase'], { outcome, task }: RecordFacts): Promise<void> {
    const { id, act, decision, allowed, binding, consent, approval, counts, watched } = of;
    const record: AuditRecord = {
      id,
      at: this.#clock.wall(),
      phase,
      act: maskAct(act),
      decision,
      allowed,
      binding,
      ...(consent === undefined ? {} : { consent }),
      ...(approval === undefined ? {} : { approval }),
      ...(counts.length === 0 ? {} : { counts }),
      ...(watched.length === 0 ? {} : { watched }),
      ...(task === undefined ? {} : { task: maskText(task).slice(0, MAX_OUTCOME) }),
      ...(outcome === undefined ? {} : { outcome: maskText(outcome).slice(0, MAX_OUTCOME) }),
    };
    await this.#audit?.write(record);
    setNewest(this.#recent, id, [...(this.#recent.get(id) ?? []), record], MAX_EXPLAINED);
  }

  /** The task id that the server claims, if an act of this host did become that task. */
  #taskOf({ server }: Act, { task }: PassOptions): string | undefined {
    return task !== undefined && this.leases.hasTask(server, task) ? task : undefined;
  }

  #warn(what: string, error: unknown): void {
    this.#warnings.warn(`${what}: ${messageOf(error)}`);
  }
}

type RecordFacts = Pick<AuditRecord, 'outcome' | 'task'>;

/** A frozen JSON copy, so that no rule or consent handler can change the act after the decision (TOCTOU). */
const frozenCopyOf = (act: Act): Act =>
  deepFreeze({
    ...act,
    arguments: jsonCopy(act.arguments),
    ...(act.meta === undefined ? {} : { meta: jsonCopy(act.meta) }),
    carries: [...act.carries],
  });

const jsonCopy = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)); // an object stays an object

/** The act in error messages: `tool shop.refund`, `connect shop (https://…)`, `resource file:///a of shop`. */
function titleOf({ kind, name, server }: Act): string {
  const shown = printable(maskText(name)).slice(0, MAX_OUTCOME);
  const label = printable(server);
  if (kind === 'spawn' || kind === 'connect') return `${kind} ${label} (${shown})`;
  return kind === 'tool' || kind === 'prompt' ? `${kind} ${label}.${shown}` : `${kind} ${shown} of ${label}`;
}

const denial = ({ id, act, decision, why }: GateDecision, cause?: unknown): McpError =>
  new McpError('MCP_DENIED', { what: titleOf(act), why, rule: decision.rule, id }, { cause });

function cancellation(act: Act, { reason }: AbortSignal): McpError {
  const why = reason instanceof Error ? reason.message : 'its signal was aborted';
  return new McpError('MCP_CANCELLED', { method: titleOf(act), why }, { cause: reason });
}

/** The class or code of an error for the audit log, without the message, which the server wrote. */
function kindOf(error: unknown): string {
  if (error instanceof McpError) return error.code;
  if (error instanceof RpcError) return `RpcError ${error.code}`;
  return error instanceof ToolError ? 'ToolError' : 'Error';
}

/** The server's text in an error, for taint tracking. */
function textOf(error: unknown): unknown {
  if (error instanceof ToolError) return [error.message, error.content];
  return error instanceof RpcError ? [error.message, error.data] : undefined;
}
