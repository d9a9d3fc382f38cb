/** What a gateway writes down about each request: the host's hash chain, one for each process. */
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
import { saidIn } from '../bridge/carry-answer.ts';
import type { PolicyAdmission, RoutedRequest } from '../contract.ts';
import type { GatewayDecision } from './decide-request.ts';

/** Where and how requests are written down. */
export interface GatewayAuditSettings {
  readonly to: Audit;
  /** The name of this process, in every record. */
  readonly node?: string | undefined;
  /** Writes arguments down, without what looks like a secret. Without it, only their digest. */
  readonly arguments?: boolean | undefined;
  /** Paths of arguments that are masked: `arguments.password`. */
  readonly mask?: readonly string[] | undefined;
  /** `deny`, the default: a request whose record cannot be written does not happen. */
  readonly onFailure?: 'deny' | 'count' | undefined;
}

/** A record of the host's audit, with what only a gateway knows. */
export interface GatewayAuditRecord extends AuditRecord {
  readonly gateway: {
    readonly node: string;
    readonly view: string;
    readonly method: string;
    /** The name that the caller used. */
    readonly exposed: string;
    readonly client?: string | undefined;
    readonly trace?: string | undefined;
    /** What the caller answered to questions of the upstream: the action, never the content. */
    readonly answers?: Readonly<Record<string, string>> | undefined;
    readonly ms?: number | undefined;
  };
}

/** What was decided about a request. */
export interface DecidedRequest {
  readonly routed: RoutedRequest;
  readonly decision: GatewayDecision;
  readonly allowed: boolean;
  /** What the user answered to the question of an `ask` rule. */
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

  /** Resolves when the decision is on record, with what writes down how the request ended. Rejects where it must not go on. */
  async decided(request: DecidedRequest): Promise<EndRecord> {
    const id = randomUUID();
    const began = this.#clock.now();
    const write = (facts: Omit<RecordedFacts, 'id'>): Promise<void> =>
      this.#settings.to.write(this.#record(request, { id, ...facts }));
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

  #record(request: DecidedRequest, facts: RecordedFacts): GatewayAuditRecord {
    const { routed, decision, allowed, consent } = request;
    const { id, phase, outcome, ms, live = [] } = facts;
    const { rule, verdict, why } = decision;
    const act = { ...decision.act, principal: routed.principal };
    const { node = 'gateway' } = this.#settings;
    const { view, method, part, link, retry } = routed;
    const ofRetry = retry === undefined || retry.state.stage === 'policy' ? undefined : actionsIn(retry.inputResponses);
    // In the order in which they were given, as questions that wait are numbered.
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
    this.#warnings.once(`A record of the audit was not written: ${messageOf(error)}`);
  }
}

interface RecordedFacts extends Pick<AuditRecord, 'id' | 'phase' | 'outcome'> {
  readonly ms?: number | undefined;
  /** What the caller said while the request was open. */
  readonly live?: readonly string[] | undefined;
}

/** Writes down how a request ended. */
export type EndRecord = Extract<PolicyAdmission, { readonly approved: boolean }>['end'];

/** Of one round. */
const MAX_ANSWERS = 32;

/** How requests end that came to their end. */
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
      .map(([key, answer]) => [maskText(key), maskText(saidIn(answer))]),
  );

function traceIn(params: JsonObject | undefined): { readonly trace?: string } {
  const parent = metaOf(params)?.['traceparent'];
  const trace = typeof parent === 'string' ? /^[\da-f]{2}-([\da-f]{32})-/.exec(parent)?.[1] : undefined;
  return trace === undefined ? {} : { trace };
}
