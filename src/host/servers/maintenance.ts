/** What is done for a server while it is ready: it is asked whether it is still there, and closed when nobody uses it. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import type { ConnectionMonitor } from './connection-monitor.ts';
import { HealthCheck, type HealthOptions } from './health-check.ts';
import { IdleTimer } from './idle-timer.ts';
import type { ServerLog } from './server-log.ts';

export interface MaintenanceOptions {
  readonly health: HealthOptions | false;
  /** Servers that nobody has used for so long are closed. */
  readonly idleMs?: number | undefined;
}

export interface MaintenanceHooks {
  readonly clock: Clock;
  readonly watch: ConnectionMonitor;
  readonly log: ServerLog;
  ping(timeoutMs: number): Promise<void>;
  /** Nobody has used it for long. */
  retire(): void;
}

export class Maintenance {
  readonly #health: HealthCheck | undefined;
  readonly #rest: IdleTimer | undefined;

  constructor({ health, idleMs }: MaintenanceOptions, hooks: MaintenanceHooks) {
    this.#health = health === false ? undefined : healthOf(health, hooks);
    this.#rest = idleMs === undefined ? undefined : restAfter(idleMs, hooks);
  }

  start(): void {
    this.#health?.start();
    this.#rest?.start();
  }

  stop(): void {
    this.#health?.stop();
    this.#rest?.stop();
  }
}

function healthOf(options: HealthOptions, { clock, watch, log, ping }: MaintenanceHooks): HealthCheck {
  return new HealthCheck(options, {
    clock,
    lastMessageAt: () => watch.lastMessageAt,
    ping,
    missed: (failures, why) => log.write('host', `no sign of life (${failures} in a row): ${why}`),
    lost: (failures) => {
      const why = `the server gave no sign of life ${failures} times in a row`;
      watch.drop(new McpError('MCP_CLOSED', { why }));
    },
  });
}

function restAfter(idleMs: number, { clock, watch, log, retire }: MaintenanceHooks): IdleTimer {
  const close = (): void => {
    log.write('host', `closed: nobody has used it for ${idleMs} ms`);
    retire();
  };
  return new IdleTimer(idleMs, { clock, use: watch.activity, close });
}
