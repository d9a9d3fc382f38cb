/** What is done for a server while it is ready: it is asked whether it is still there, and closed when nobody uses it. */
import { McpError } from '../../errors.ts';
import type { Clock } from '../../peer/clock.ts';
import { Health, type HealthOptions } from './health.ts';
import type { LineWatch } from './line-watch.ts';
import { Rest } from './rest.ts';
import type { ServerLog } from './server-log.ts';

export interface UpkeepOptions {
  readonly health: HealthOptions | false;
  /** Servers that nobody has used for so long are closed. */
  readonly idleMs?: number | undefined;
}

export interface UpkeepHooks {
  readonly clock: Clock;
  readonly watch: LineWatch;
  readonly log: ServerLog;
  ping(timeoutMs: number): Promise<void>;
  /** Nobody has used it for long. */
  retire(): void;
}

export class Upkeep {
  readonly #health: Health | undefined;
  readonly #rest: Rest | undefined;

  constructor({ health, idleMs }: UpkeepOptions, hooks: UpkeepHooks) {
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

function healthOf(options: HealthOptions, { clock, watch, log, ping }: UpkeepHooks): Health {
  return new Health(options, {
    clock,
    heardAt: () => watch.heardAt,
    ping,
    missed: (failures, why) => log.write('host', `no sign of life (${failures} in a row): ${why}`),
    lost: (failures) => {
      const why = `the server gave no sign of life ${failures} times in a row`;
      watch.drop(new McpError('MCP_CLOSED', { why }));
    },
  });
}

function restAfter(idleMs: number, { clock, watch, log, retire }: UpkeepHooks): Rest {
  const close = (): void => {
    log.write('host', `closed: nobody has used it for ${idleMs} ms`);
    retire();
  };
  return new Rest(idleMs, { clock, use: watch.use, close });
}
