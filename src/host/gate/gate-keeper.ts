/** The gate: facts, rules, consent, then the record, and only then the act. */
import { randomUUID } from 'node:crypto';
import { McpError, RpcError, ToolError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { deepFreeze } from '../../model/canonical.ts';
import { printable } from '../../model/printable.ts';
import { type Clock, systemClock } from '../../peer/clock.ts';
import { Warnings } from '../../peer/warnings.ts';
import type { Act } from '../act/act.ts';
import type { Rule, Verdict } from '../act/rule.ts';
import type { Audit, AuditRecord } from '../audit/audit.ts';
import { maskAct, maskText } from '../audit/mask-act.ts';
import { type ApprovalStore, Approvals, memoryApprovals } from '../consent/approvals.ts';
import type { Consent, ConsentFunction } from '../consent/consent.ts';
import { Leases } from '../lease/leases.ts';
import { TaintTracker } from '../policy/taint-tracker.ts';
import { asConsent } from './ask-for-consent.ts';
import { CancellationGroup } from './cancellation-group.ts';
import type { Gate, PassOptions, Permit } from './gate.ts';
import { type GateDecision, PolicyEvaluator } from './policy-evaluator.ts';
import { RecentRecords } from './recent-records.ts';
import { recheckDefinition } from './recheck-definition.ts';

const MAX_OUTCOME = 200;

export interface GateOptions {
  /** The first rule that applies decides; where none does, somebody is asked. */
  readonly policy: readonly Rule[];
  /** Who is asked. Without, whatever would have to be asked is denied. */
  readonly consent?: Consent | ConsentFunction | undefined;
  /** Without, what happened can be explained for a while, and is then forgotten. */
  readonly audit?: Audit | undefined;
  /** Where approvals are kept that have an end in time. In memory. */
  readonly approvals?: ApprovalStore | undefined;
  /** Shared with the connections of the servers. */
  readonly leases?: Leases | undefined;
  readonly clock?: Clock | undefined;
  readonly onWarning?: ((warning: string) => void) | undefined;
}

export class GateKeeper implements Gate {
  /** What connections ask before they send anything. */
  readonly leases: Leases;
  readonly attended: boolean;
  readonly #approvals: Approvals;
  readonly #clock: Clock;
  readonly #audit: Audit | undefined;
  readonly #evaluator: PolicyEvaluator;
  readonly #flow: TaintTracker | undefined;
  readonly #records: RecentRecords = new RecentRecords();
  readonly #warnings: Warnings;
  readonly #running: CancellationGroup = new CancellationGroup();

  constructor(options: GateOptions) {
    const { policy, consent, audit, approvals = memoryApprovals(), clock = systemClock } = options;
    const watched = policy.flatMap(({ watches = [] }) => watches);
    this.attended = consent !== undefined && asConsent(consent).later !== true;
    this.leases = options.leases ?? new Leases();
    this.#clock = clock;
    this.#audit = audit;
    this.#warnings = new Warnings(options.onWarning);
    this.#approvals = new Approvals(approvals);
    this.#flow = watched.length === 0 ? undefined : new TaintTracker(watched);
    this.#evaluator = new PolicyEvaluator({
      policy,
      consent: consent === undefined ? undefined : asConsent(consent),
      approvals: this.#approvals,
      flow: this.#flow,
      clock,
    });
  }

  pass<T>(act: Act, run: (permit: Permit) => Promise<T>, options: PassOptions = {}): Promise<T> {
    return this.#running.run(options.signal, (signal) => this.#pass(act, run, { ...options, signal }));
  }

  async #pass<T>(act: Act, run: (permit: Permit) => Promise<T>, options: GatePass): Promise<T> {
    const { signal } = options;
    if (signal.aborted) throw cancelledError(act, signal);
    const id = randomUUID();
    const ruling = await recheckDefinition(await this.#evaluator.evaluate(id, factsOf(act), options), options);
    try {
      await this.#write(ruling, 'decided');
    } catch (cause) {
      ruling.reservation?.release();
      throw this.#denied({ ...ruling, why: 'it could not be written down' }, cause);
    }
    if (!ruling.allowed) throw ruling.cancelled ? cancelledError(ruling.act, signal) : this.#denied(ruling);
    await this.#evaluator
      .remember(ruling)
      .catch((error: unknown) => this.#warn('An approval was not remembered', error));
    if (signal.aborted) {
      ruling.reservation?.release();
      await this.#finish(ruling, 'failed', 'called off');
      throw cancelledError(ruling.act, signal);
    }
    return this.#run(ruling, run, options);
  }

  foresee(act: Act): Verdict {
    return this.#evaluator.foresee(factsOf(act));
  }

  async explain(id: string): Promise<readonly AuditRecord[]> {
    return this.#records.get(id) ?? (await this.#audit?.read?.(id)) ?? [];
  }

  /** What is remembered, and taking it back. */
  readonly approvals: { list(): ReturnType<Approvals['list']>; revoke(id: string): Promise<boolean> } = {
    list: () => this.#approvals.list(this.#clock.wall()),
    revoke: (id) => this.#approvals.revoke(id),
  };

  /** A session is over: nothing of it is remembered. */
  end(session: string): void {
    this.#approvals.end(session);
    this.#evaluator.end(session);
    this.#flow?.end(session);
  }

  /** Whatever is being asked is called off. */
  async close(): Promise<void> {
    this.#running.cancelAll(new McpError('MCP_CLOSED', { why: 'the host was closed' }));
    await this.#audit?.close?.();
  }

  async #run<T>(ruling: GateDecision, run: (permit: Permit) => Promise<T>, options: PassOptions): Promise<T> {
    const { id, act } = ruling;
    const lease = this.leases.open(act);
    try {
      const result = await run({ id, arguments: act.arguments });
      lease.close(true);
      this.#flow?.learn(act, result);
      const spent = this.#told(() => options.tokens?.(result));
      if (spent !== undefined && spent >= 0) ruling.reservation?.settle(spent);
      await this.#finish(
        ruling,
        'done',
        this.#told(() => options.outcome?.(result)),
      );
      return result;
    } catch (error) {
      lease.close(false);
      this.#flow?.learn(act, error instanceof ToolError ? [error.message, error.content] : wordsOf(error));
      await this.#finish(ruling, 'failed', kindOf(error));
      throw error;
    }
  }

  /** What the caller has to say of it must not undo it. */
  #told<R>(say: () => R): R | undefined {
    try {
      return say();
    } catch (error) {
      this.#warn('The outcome of an act could not be told', error);
      return undefined;
    }
  }

  /** It has happened; that this cannot be written down any more does not undo it. The next act will not happen. */
  async #finish(ruling: GateDecision, phase: 'done' | 'failed', outcome: string | undefined): Promise<void> {
    try {
      await this.#write(ruling, phase, outcome);
    } catch (error) {
      this.#warn('The end of an act was not written down', error);
    }
  }

  async #write(ruling: GateDecision, phase: AuditRecord['phase'], outcome?: string): Promise<void> {
    const { id, act, decision, allowed, binding, consent, approval, counts, watched } = ruling;
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
      ...(outcome === undefined ? {} : { outcome: maskText(outcome).slice(0, MAX_OUTCOME) }),
    };
    await this.#audit?.write(record);
    this.#records.add(record);
  }

  #denied({ id, act, decision, why }: GateDecision, cause?: unknown): McpError {
    return new McpError('MCP_DENIED', { what: whatOf(act), why, rule: decision.rule, id }, { cause });
  }

  #warn(what: string, error: unknown): void {
    this.#warnings.warn(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type GatePass = PassOptions & { readonly signal: AbortSignal };

/** A copy as JSON would carry it, and frozen: no rule and no consent changes it between the decision and the act. */
const factsOf = (act: Act): Act =>
  deepFreeze({
    ...act,
    arguments: jsonCopy(act.arguments),
    ...(act.meta === undefined ? {} : { meta: jsonCopy(act.meta) }),
    carries: [...act.carries],
  });

const jsonCopy = (value: JsonObject): JsonObject => JSON.parse(JSON.stringify(value)); // an object stays one

const whatOf = ({ kind, name, server }: Act): string =>
  `${kind} ${printable(maskText(name)).slice(0, MAX_OUTCOME)} of ${printable(server)}`;

function cancelledError(act: Act, { reason }: AbortSignal): McpError {
  const why = reason instanceof Error ? reason.message : 'its signal was aborted';
  return new McpError('MCP_CANCELLED', { method: whatOf(act), why }, { cause: reason });
}

/** What went wrong, without its words: they are the server's. */
function kindOf(error: unknown): string {
  if (error instanceof McpError) return error.code;
  if (error instanceof RpcError) return `RpcError ${error.code}`;
  return error instanceof ToolError ? 'ToolError' : 'Error';
}

const wordsOf = (error: unknown): unknown => (error instanceof RpcError ? [error.message, error.data] : undefined);
