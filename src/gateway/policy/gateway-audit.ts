/** Writes the gateway's audit records, in the host's hash-chained format; each process has its own chain. */
import { randomUUID } from 'node:crypto';
import { messageOf } from '../../errors.ts';
import type { Act } from '../../host/act/act.ts';
import { bindingOf } from '../../host/act/binding.ts';
import type { Audit, AuditRecord } from '../../host/audit/audit.ts';
import { maskAct, maskText } from '../../host/audit/mask-act.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { MASK } from '../../model/secrets.ts';
import { metaOf } from '../../peer/call-link.ts';
import type { Clock } from '../../peer/clock.ts';
import { Warnings } from '../../peer/warnings.ts';
import { actionOf } from '../bridge/carry-answer.ts';
import type { PolicyAdmission, RoutedRequest } from '../contract.ts';
import type { GatewayDecision } from './decide-request.ts';

/** Settings of the audit log. */
export interface GatewayAuditSettings {
  readonly to: Audit;
  /** The name of this process, in every record. */
  readonly node?: string | undefined;
  /** Records arguments, with likely secrets masked. By default, records only their digest. */
  readonly arguments?: boolean | undefined;
  /** Paths to mask, such as `arguments.password`. */
  readonly mask?: readonly string[] | undefined;
  /** `deny` (default): rejects a request whose record cannot be written. `count`: only warns. */
  readonly onFailure?: 'deny' | 'count' | undefined;
}

/** A record of the host's audit log with additional details of the gateway. */
export interface GatewayAuditRecord extends AuditRecord {
  readonly gateway: {
    readonly node: string;
    readonly view: string;
    readonly method: string;
    /** The name that the caller used. */
    readonly exposed: string;
    readonly client?: string | undefined;
    readonly trace?: string | undefined;
    /** Actions of the caller's answers to upstream questions, never their content. */
    readonly answers?: Readonly<Record<string, string>> | undefined;
    readonly ms?: number | undefined;
  };
}

/** A request and the decision about it. */
export interface DecidedRequest {
  readonly routed: RoutedRequest;
  readonly decision: GatewayDecision;
  readonly allowed: boolean;
  /** The user's answer to an `ask` rule. */
  readonly consent?: boolean | undefined;
}

export class GatewayAudit {
  readonly #settings: GatewayAuditSettings;
  readonly #clock: Clock;
  readonly #warnings: Warnings;

  constructor(settings: GatewayAuditSettings, clock: Clock, onWarning?: (warning: string) => void) {
    this.#settings = settings;
    this.#clock = clock;
    this.#warnings = new Warnings(onWarning);
  }

  /** Records the decision. Resolves with a function that records the outcome. Rejects if the request must not proceed. */
  async decided(request: DecidedRequest): Promise<EndRecord> {
    const id = randomUUID();
    const began = this.#clock.now();
    const write = (details: Omit<RecordDetails, 'id'>): Promise<void> =>
      this.#settings.to.write(this.#record(request, { id, ...details }));
    try {
      await write({ phase: 'decided', outcome: undefined });
    } catch (error) {
      this.#warn(error);
      if (this.#settings.onFailure !== 'count') throw error;
    }
    return (outcome, live) => {
      const phase = endings.has(outcome) ? 'done' : 'failed';
      const ms = Math.round(this.#clock.now() - began);
      write({ phase, outcome, ms, live }).catch((error: unknown) => this.#warn(error));
    };
  }

  #record(request: DecidedRequest, details: RecordDetails): GatewayAuditRecord {
    const { routed, decision, allowed, consent } = request;
    const { id, phase, outcome, ms, live = [] } = details;
    const { rule, verdict, why } = decision;
    const act = { ...decision.act, principal: routed.principal };
    const { node = 'gateway' } = this.#settings;
    const { view, method, part, link, retry } = routed;
    const ofRetry = retry === undefined || retry.state.stage === 'policy' ? undefined : actionsIn(retry.inputResponses);
    // Numbered in order, as the questions of a waiting call are.
    const ofCall = Object.fromEntries(live.map((said, at) => [`q${at + 1}`, maskText(said)]));
    const answers = live.length === 0 ? ofRetry : { ...ofRetry, ...ofCall };
    return {
      ...{ id, at: this.#clock.wall(), phase, act: this.#masked(act), decision: { verdict, rule, why }, allowed },
      binding: bindingOf(act),
      ...(consent === undefined ? {} : { consent: { allow: consent, edited: false } }),
      ...(outcome === undefined ? {} : { outcome: maskText(outcome) }),
      gateway: {
        ...{ node, view, method, exposed: maskText(part.name) },
        ...(link.auth?.clientId === undefined ? {} : { client: link.auth.clientId }),
        ...traceIn(routed.request.params),
        ...(answers === undefined ? {} : { answers }),
        ...(ms === undefined ? {} : { ms }),
      },
    };
  }

  #masked(act: Act): Act {
    const { arguments: areWritten = false, mask = [] } = this.#settings;
    const given: JsonObject = { arguments: areWritten ? act.arguments : {} };
    const masked = mask.map((path) => path.split('.')).reduce(maskPath, given);
    return maskAct({ ...act, arguments: isObject(masked['arguments']) ? masked['arguments'] : {} });
  }

  #warn(error: unknown): void {
    this.#warnings.once(`An audit record could not be written: ${messageOf(error)}`);
  }
}

interface RecordDetails extends Pick<AuditRecord, 'id' | 'phase' | 'outcome'> {
  readonly ms?: number | undefined;
  /** Actions of answers that were given while the request was open. */
  readonly live?: readonly string[] | undefined;
}

/** Records the outcome of a request. */
export type EndRecord = Extract<PolicyAdmission, { readonly approved: boolean }>['end'];

/** Recorded answers per round. */
const MAX_ANSWERS = 32;

/** Outcomes of requests that completed. */
const endings: ReadonlySet<string> = new Set(['done', 'error', 'asks', 'denied']);

function maskPath(value: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  if (!Object.hasOwn(value, name)) return value;
  const inner = value[name];
  if (rest.length === 0) return { ...value, [name]: MASK };
  return isObject(inner) ? { ...value, [name]: maskPath(inner, rest) } : value;
}

const actionsIn = (responses: JsonObject): Record<string, string> =>
  Object.fromEntries(
    Object.entries(responses)
      .slice(0, MAX_ANSWERS)
      .map(([key, answer]) => [maskText(key), maskText(actionOf(answer))]),
  );

function traceIn(params: JsonObject | undefined): { readonly trace?: string } {
  const parent = metaOf(params)?.['traceparent'];
  const trace = typeof parent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-/.exec(parent)?.[1] : undefined;
  return trace === undefined ? {} : { trace };
}
