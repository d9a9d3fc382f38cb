/** Timers of a ready server: health checks while it is silent, and the idle timeout. */
import { RpcError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ConnectionMonitor } from './connection-monitor.ts';

/** Health checks: how silent servers are pinged. */
export interface HealthOptions {
  /** Milliseconds of silence before a ping. Default: 30 s. */
  readonly everyMs?: number;
  /** Timeout of a ping in milliseconds. Default: 10 s. */
  readonly timeoutMs?: number;
  /** Consecutive missed pings after which the server is restarted. Default: 2. */
  readonly failures?: number;
}

export interface MaintenanceOptions {
  readonly health: HealthOptions | false;
  /** Servers are closed after this time without use. Without it, they stay open. */
  readonly idleMs?: number | undefined;
}

export interface MaintenanceHooks {
  readonly clock: Clock;
  readonly monitor: ConnectionMonitor;
  ping(timeoutMs: number): Promise<void>;
  /** Called after each missed ping, with the number of consecutive ones. */
  onMissedPing(failures: number, why: string): void;
  /** Called when the limit of missed pings is reached. */
  onUnhealthy(failures: number): void;
  onIdle(): void;
}

export class Maintenance {
  readonly #health: Required<HealthOptions> | undefined;
  readonly #idleMs: number | undefined;
  readonly #hooks: MaintenanceHooks;
  #missed = 0;
  #cancelPing: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;

  constructor({ health, idleMs }: MaintenanceOptions, hooks: MaintenanceHooks) {
    this.#health = health === false ? undefined : { everyMs: 30_000, timeoutMs: 10_000, failures: 2, ...health };
    this.#idleMs = idleMs;
    this.#hooks = hooks;
  }

  start(): void {
    this.stop();
    this.#missed = 0;
    if (this.#health !== undefined) this.#schedulePing(this.#health);
    if (this.#idleMs !== undefined) this.#scheduleIdle(this.#idleMs, this.#idleMs);
  }

  stop(): void {
    this.#cancelPing?.();
    this.#cancelIdle?.();
    this.#cancelPing = undefined;
    this.#cancelIdle = undefined;
  }

  #schedulePing(health: Required<HealthOptions>): void {
    const check = (): void => void this.#checkHealth(health);
    this.#cancelPing = this.#hooks.clock.after(health.everyMs, check, { idle: true });
  }

  async #checkHealth(health: Required<HealthOptions>): Promise<void> {
    const { clock, monitor, ping, onMissedPing, onUnhealthy } = this.#hooks;
    const scheduled = this.#cancelPing;
    const isSilent = clock.now() - monitor.lastMessageAt >= health.everyMs;
    const failure = isSilent ? await ping(health.timeoutMs).then(() => undefined, pingFailure) : undefined;
    if (this.#cancelPing !== scheduled) return;
    this.#missed = failure === undefined ? 0 : this.#missed + 1;
    if (failure !== undefined) onMissedPing(this.#missed, failure);
    if (this.#missed >= health.failures) onUnhealthy(this.#missed);
    else this.#schedulePing(health);
  }

  #scheduleIdle(idleMs: number, ms: number): void {
    const { clock, monitor, onIdle } = this.#hooks;
    const check = (): void => {
      const left = monitor.isInUse ? idleMs : monitor.lastActiveAt + idleMs - clock.now();
      if (left > 0) this.#scheduleIdle(idleMs, left);
      else onIdle();
    };
    this.#cancelIdle = clock.after(ms, check, { idle: true });
  }
}

/** A server that answers a ping with an error is alive. */
const pingFailure = (error: unknown): string | undefined => (error instanceof RpcError ? undefined : String(error));
