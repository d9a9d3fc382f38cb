/** Carries calls to upstreams of any revision for callers of any revision, and the questions of upstreams to callers. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { whenAborted } from '../../peer/exchange.ts';
import type {
  AttachedRequest,
  Bridge,
  CallState,
  CarriedResult,
  ResumingRequest,
  RoutedRequest,
  UpstreamLease,
  WaitState,
} from '../contract.ts';
import { acquireFor, type BridgeContext, partReference, questionRouteOf, reportsTo } from './bridge-context.ts';
import { stateBinding } from './call-states.ts';
import { carryLive } from './live.ts';
import { carryByRelay } from './relay.ts';
import { afterVisits, askForVisits, type VisitContext, Visits } from './visits.ts';
import { WaitingCalls } from './waiting-calls.ts';
import { lostCallError, type WaitingLimits } from './waiting-limits.ts';

export interface BridgeSettings extends BridgeContext {
  /** The id of this node. */
  readonly node: string;
  readonly limits?: Partial<WaitingLimits> | undefined;
  /** How a call that waits on another node goes on; without it, such a call is lost. */
  readonly resumeElsewhere?:
    | ((routed: RoutedRequest, state: WaitState, request: ResumingRequest) => Promise<CarriedResult>)
    | undefined;
}

export function createBridge(settings: BridgeSettings): GatewayBridge {
  return new GatewayBridge(settings);
}

export class GatewayBridge implements Bridge {
  readonly #settings: BridgeSettings;
  readonly #visits: Visits;
  readonly #calls: WaitingCalls;

  constructor(settings: BridgeSettings) {
    this.#settings = settings;
    this.#visits = new Visits(settings);
    this.#calls = new WaitingCalls(settings);
  }

  get waiting(): number {
    return this.#calls.size;
  }

  async carry(routed: RoutedRequest, approved: boolean): Promise<CarriedResult> {
    const { retry } = routed;
    if (retry?.state.stage === 'wait') return this.#resume(routed, retry.state, retry.inputResponses);
    const declined = await afterVisits(routed, this.#visits);
    if (declined !== undefined) return declined;
    const lease = await acquireFor(routed, this.#settings);
    const { client } = lease;
    // Not by spreads, here and in what a waiting call keeps: each object would have a layout of its own.
    const { upstreams, states, clock, metrics } = this.#settings;
    const context = { upstreams, states, clock, metrics, visits: this.#visits, approved, client };
    try {
      if (routed.revision.hasServerRequests) return await carryLive(routed, lease, context);
      if (!client.revision.hasServerRequests) return await carryByRelay(routed, lease, context);
      return await this.#wait(routed, lease, context);
    } catch (error) {
      return askForVisits(error, routed, context);
    }
  }

  async resume({ call: id, round }: WaitState, answers: JsonObject, request: ResumingRequest): Promise<CarriedResult> {
    const call = this.#calls.find(id);
    // The state was opened by a node; that it is about this very call is checked where the call is.
    if (call.facts.bound !== request.bound)
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this gateway for this request');
    return call.resume(round, answers, request);
  }

  abandon(state: CallState): void {
    if (state.stage === 'wait') this.#calls.abandon(state.call);
  }

  visitCompleted(label: string, id: string): void {
    this.#visits.complete(label, id);
  }

  drain(ms: number): Promise<void> {
    return this.#calls.drain(ms);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  async #resume(routed: RoutedRequest, state: WaitState, answers: JsonObject): Promise<CarriedResult> {
    const { node, resumeElsewhere } = this.#settings;
    const request = { ...this.#attached(routed), bound: stateBinding(routed) };
    if (state.node === node) return this.resume(state, answers, request);
    if (resumeElsewhere !== undefined) return resumeElsewhere(routed, state, request);
    throw lostCallError(state.part.label, 'it waits on a node that this one does not know');
  }

  /** The upstream's request stays open while the caller answers. */
  #wait(routed: RoutedRequest, { client, release }: UpstreamLease, context: VisitContext): Promise<CarriedResult> {
    const { part, method, params, principal } = routed;
    const { questions, questionMs, maxWaitingCalls } = context.upstreams.carrySettings(part.label);
    const call = this.#calls.create(
      {
        part: partReference(part),
        principal,
        bound: stateBinding(routed),
        questions,
        waitMs: questionMs,
        maxWaitingCalls,
      },
      client.revision,
    );
    const request = this.#attached(routed);
    return call.begin(async (options) => {
      try {
        return { result: await client.request(method, params, options), from: client.revision };
      } catch (error) {
        return askForVisits(error, routed, context);
      } finally {
        release(options.signal?.aborted !== true);
      }
    }, request);
  }

  #attached(routed: RoutedRequest): AttachedRequest {
    const { capabilities, revision } = questionRouteOf(routed, this.#settings.upstreams);
    return {
      capabilities,
      revision,
      ...reportsTo(routed, this.#settings),
      whenGone: (listener) => whenAborted(routed.link, () => listener(true)),
    };
  }
}
