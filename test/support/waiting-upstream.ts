/** The upstream side of a waiting call, controlled by the test, and a caller that connects and disconnects. */
import type { Progress } from '../../src/client/index.ts';
import { RpcError } from '../../src/errors.ts';
import { CallStates } from '../../src/gateway/bridge/call-states.ts';
import { type SendWaitingCall, WaitingCall, type WaitingCallSettings } from '../../src/gateway/bridge/waiting-call.ts';
import { WaitingCalls, type WaitingLimits } from '../../src/gateway/bridge/waiting-calls.ts';
import type { AttachedRequest, CarriedResult } from '../../src/gateway/contract.ts';
import { isObject, type JsonObject } from '../../src/jsonrpc/message.ts';
import type { ClientCapabilities } from '../../src/model/caller.ts';
import type { Revision } from '../../src/revisions/contract.ts';
import { findRevision } from '../../src/revisions/index.ts';
import { type VirtualClock, virtualClock } from '../../src/testing/virtual-clock.ts';

const everything: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const revisionOf = (id: string): Revision => findRevision(id) as Revision; // ids of this file exist
export const form = {
  message: 'Who?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
};
export const accept = (name: string): JsonObject => ({ action: 'accept', content: { name } });

/** Records events as text: settled answers, the abort, and how rounds ended. */
export class WaitingScene {
  readonly clock: VirtualClock = virtualClock();
  readonly states: CallStates = new CallStates({ clock: this.clock });
  readonly calls: WaitingCalls;
  readonly ends: string[] = [];

  constructor(limits: Partial<WaitingLimits> = {}) {
    const metrics = {
      count: (name: string, labels: object): void => {
        if (name === 'waiting_calls_total' && 'end' in labels) this.ends.push(String(labels.end));
      },
      observe: (): void => undefined,
    };
    this.calls = new WaitingCalls({ clock: this.clock, states: this.states, node: 'n1', limits, metrics });
  }

  create(facts: Partial<WaitingCallSettings> = {}): WaitingCall {
    const part = { label: 'shop', kind: 'tool', key: 'buy' } as const;
    const own = { part, principal: 'ada', bound: 'b', questions: { visit: { hosts: ['shop.example'] } } };
    const all = { ...own, waitMs: 300_000, maxWaitingCalls: 100, ...facts };
    return new WaitingCall(all, revisionOf('2025-11-25'), this.calls);
  }
}

/** The request that the gateway sent to the upstream. */
export class UpstreamSide {
  readonly answers: (JsonObject | RpcError)[] = [];
  aborted = false;
  #options: Parameters<SendWaitingCall>[0] | undefined;
  #resolve: (result: CarriedResult) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  readonly send: SendWaitingCall = (options) => {
    this.#options = options;
    return new Promise((resolve, reject) => {
      [this.#resolve, this.#reject] = [resolve, reject];
      options.signal?.addEventListener('abort', () => {
        this.aborted = true;
        reject(new RpcError(-32603, 'aborted'));
      });
    });
  };

  /** Asks, and records the answer. The returned function cancels the question. */
  ask(method = 'elicitation/create', params: JsonObject = form): () => void {
    const cancelled = new AbortController();
    const context = { signal: cancelled.signal, server: { capabilities: {} } };
    const asked = new Promise<JsonObject>((resolve) => {
      const answer = this.#options?.ask?.({ method, params }, context);
      resolve(answer as JsonObject); // the call has begun
    });
    asked.then(
      (answer) => this.answers.push(answer),
      (error) => this.answers.push(error as RpcError), // questions are rejected only with these
    );
    return () => cancelled.abort();
  }

  report(progress: number): void {
    this.#options?.onProgress?.({ progress });
  }

  finish(text = 'done'): void {
    this.#resolve({ result: { content: [{ type: 'text', text }] }, from: revisionOf('2025-11-25') });
  }

  fail(message = 'broken'): void {
    this.#reject(new RpcError(-32000, message));
  }
}

/** One request of the caller. */
export class CallerRequest {
  readonly reports: number[] = [];
  /** How it ended: `text`, `error`, or the keys of the questions. */
  ended: string | undefined;
  asks: JsonObject = {};
  error: RpcError | undefined;
  readonly attached: AttachedRequest;
  #gone: (hungUp: boolean) => void = () => undefined;

  constructor(capabilities: ClientCapabilities = everything) {
    this.attached = {
      capabilities,
      revision: revisionOf('2026-07-28'),
      onProgress: ({ progress }: Progress) => void this.reports.push(progress),
      whenGone: (listener) => {
        this.#gone = listener;
      },
    };
  }

  /** Waits for a round. */
  for(round: (attached: AttachedRequest) => Promise<CarriedResult>): this {
    new Promise<CarriedResult>((resolve) => resolve(round(this.attached))).then(
      (result) => this.#settled(result),
      (error) => {
        this.error = error as RpcError; // rounds are rejected only with these
        this.ended = `error: ${this.error.message}`;
      },
    );
    return this;
  }

  #settled(carried: CarriedResult): void {
    if ('asks' in carried) {
      this.asks = carried.asks;
      const asked = carried.asks['inputRequests'];
      this.ended = `asks ${Object.keys(isObject(asked) ? asked : {}).join(' ')}`;
    } else this.ended = JSON.stringify(carried.result['content']).replace(/.*"text":"(.*?)".*/, '$1');
  }

  hangUp(): void {
    this.#gone(true);
  }

  lose(): void {
    this.#gone(false);
  }
}
