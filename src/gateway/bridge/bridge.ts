/** Carries a routed call to its upstream and the upstream's questions back to the caller, for every pair of revisions. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject } from '../../jsonrpc/message.ts';
import { whenAborted } from '../../peer/exchange.ts';
import type {
  AttachedRequest,
  CallState,
  CarriedResult,
  ResumingRequest,
  RoutedRequest,
  WaitState,
} from '../contract.ts';
import type { UpstreamSet } from '../upstreams/upstream-set.ts';
import { afterVisits, askForVisits } from './ask-for-visits.ts';
import {
  type BridgeContext,
  type CarryContext,
  lostCallError,
  partReference,
  questionRouteOf,
  reportsTo,
} from './bridge-context.ts';
import { stateBinding } from './call-states.ts';
import { carryByRelay } from './carry-by-relay.ts';
import { carryLive } from './carry-live.ts';
import type { QuestionRoute } from './carry-question.ts';
import { Visits } from './visits.ts';
import { WaitingCall } from './waiting-call.ts';
import { WaitingCalls } from './waiting-calls.ts';

export interface BridgeSettings extends BridgeContext {
  readonly upstreams: Pick<UpstreamSet, 'get'>;
  readonly node: string;
  /** Resumes a call that waits on another node. Without it, such a call is lost. */
  readonly resumeElsewhere?:
    | ((routed: RoutedRequest, state: WaitState, request: ResumingRequest) => Promise<CarriedResult>)
    | undefined;
}

export class Bridge {
  readonly #settings: BridgeSettings;
  readonly #visits: Visits;
  readonly #calls: WaitingCalls;

  constructor(settings: BridgeSettings) {
    this.#settings = settings;
    this.#visits = new Visits(settings.clock);
    this.#calls = new WaitingCalls(settings);
  }

  get waiting(): number {
    return this.#calls.size;
  }

  /** Carries one request that the policy has admitted. */
  async carry(routed: RoutedRequest, approved: boolean): Promise<CarriedResult> {
    const { retry } = routed;
    if (retry?.state.stage === 'wait') return this.#resume(routed, retry.state, retry.inputResponses);
    const declined = await afterVisits(routed, this.#visits);
    if (declined !== undefined) return declined;
    const { part, principal, session, link } = routed;
    const { upstreams, states, clock, metrics } = this.#settings;
    const upstream = upstreams.get(part.label);
    const { settings } = upstream;
    const route = questionRouteOf(routed, settings.questions);
    // The upstream conversation must not declare more than this caller declared.
    const { capabilities } = route;
    const { client, release } = await upstream.acquire({ principal, session, auth: link.auth, capabilities }, link);
    // Written out, here and in WaitingCall: a spread gives each object its own hidden class and slows down every access.
    const context = { states, clock, metrics, visits: this.#visits, approved, client, release, route, settings };
    try {
      if (routed.revision.hasServerRequests) return await carryLive(routed, context);
      if (!client.revision.hasServerRequests) return await carryByRelay(routed, context);
      return await this.#wait(routed, context);
    } catch (error) {
      return askForVisits(error, routed, context);
    }
  }

  /** Resumes a call that waits on this node. The retry itself can have arrived at another node. */
  async resume({ call: id, round }: WaitState, answers: JsonObject, request: ResumingRequest): Promise<CarriedResult> {
    const call = this.#calls.find(id);
    // The receiving node opened the state; only this node can check that it belongs to this call.
    if (call.settings.bound !== request.bound)
      throw new RpcError(INVALID_PARAMS, 'requestState was not issued by this gateway for this request');
    return call.resume(round, answers, request);
  }

  /** Cancels the waiting call of this state, because the policy denies it by now. */
  abandon(state: CallState): void {
    if (state.stage === 'wait') this.#calls.abandon(state.call);
  }

  /** An upstream sent `notifications/elicitation/complete`. */
  visitCompleted(label: string, id: string): void {
    this.#visits.complete(label, id);
  }

  /** Gives waiting calls `ms` to get their answers, then expires them. Resolves when their upstream requests have ended. */
  drain(ms: number): Promise<void> {
    return this.#calls.drain(ms);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  async #resume(routed: RoutedRequest, state: WaitState, answers: JsonObject): Promise<CarriedResult> {
    const { node, resumeElsewhere, upstreams } = this.#settings;
    const route = questionRouteOf(routed, upstreams.get(state.part.label).settings.questions);
    const request = { ...this.#attached(routed, route), bound: stateBinding(routed) };
    if (state.node === node) return this.resume(state, answers, request);
    if (resumeElsewhere !== undefined) return resumeElsewhere(routed, state, request);
    throw lostCallError(state.part.label, 'it waits on a node that is unknown here');
  }

  /** Keeps the upstream's request open while the caller answers. */
  #wait(routed: RoutedRequest, context: CarryContext): Promise<CarriedResult> {
    const { part, method, params, principal } = routed;
    const { client, release, route, settings } = context;
    const limits = { waitMs: settings.timeouts.questionMs, maxWaitingCalls: settings.limits.waitingCalls };
    const bound = stateBinding(routed);
    const fixed = { part: partReference(part), principal, bound, questions: route.settings, ...limits };
    const call = new WaitingCall(fixed, client.revision, this.#calls);
    const request = this.#attached(routed, route);
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

  #attached(routed: RoutedRequest, { capabilities, revision }: QuestionRoute): AttachedRequest {
    return {
      capabilities,
      revision,
      ...reportsTo(routed, this.#settings),
      whenGone: (listener) => whenAborted(routed.link, () => listener(true)),
    };
  }
}
