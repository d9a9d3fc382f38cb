/** Counts what a bridge carries, and how long that takes. */
import type { Clock } from '../../peer/clock.ts';
import type { Bridge, CallState, CarriedResult, GatewayMetrics, RoutedRequest } from '../contract.ts';
import { UpstreamError } from '../upstreams/upstream-error.ts';

export class CountedBridge implements Bridge {
  readonly #bridge: Bridge;
  readonly #metrics: GatewayMetrics;
  readonly #clock: Clock;

  constructor(bridge: Bridge, metrics: GatewayMetrics, clock: Clock) {
    this.#bridge = bridge;
    this.#metrics = metrics;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#bridge.waiting;
  }

  async carry(routed: RoutedRequest, approved: boolean): Promise<CarriedResult> {
    const upstream = routed.part.label;
    const began = this.#clock.now();
    let outcome = 'failed';
    try {
      const carried = await this.#bridge.carry(routed, approved);
      outcome = 'asks' in carried ? 'asks' : 'answered';
      return carried;
    } catch (error) {
      if (error instanceof UpstreamError) outcome = error.outcome;
      throw error;
    } finally {
      this.#metrics.count('calls_total', { upstream, outcome });
      this.#metrics.observe('call_seconds', (this.#clock.now() - began) / 1_000, upstream);
    }
  }

  resume(...[state, answers, request]: Parameters<Bridge['resume']>): Promise<CarriedResult> {
    return this.#bridge.resume(state, answers, request);
  }

  abandon(state: CallState): void {
    this.#bridge.abandon(state);
  }

  visitCompleted(label: string, id: string): void {
    this.#bridge.visitCompleted(label, id);
  }

  drain(): Promise<void> {
    return this.#bridge.drain();
  }

  close(): Promise<void> {
    return this.#bridge.close();
  }
}
