/** Opens lines with leave of the gate: once for everything that it takes until both sides have agreed, and anew for each restart. */
import { McpError } from '../../errors.ts';
import type { DeadlinePause } from '../../peer/deadline-pause.ts';
import type { Transport } from '../../peer/exchange.ts';
import type { Gate } from '../gate/gate.ts';
import type { ComparedServerPlan } from './server-plan.ts';

export interface OpenApprovalOptions {
  readonly gate: Gate;
  readonly plan: ComparedServerPlan;
  /** Aborts when the server is no longer wanted. */
  readonly signal: AbortSignal;
  /** Resolves when the next attempt is due. */
  readonly due: () => Promise<void>;
}

export class OpenApproval {
  readonly #options: OpenApprovalOptions;
  #leave: Promise<void> | undefined;
  #settle: (failure: Error | undefined) => void = () => undefined;

  constructor(options: OpenApprovalOptions) {
    this.#options = options;
  }

  /** Resolves when the server may be opened, and rejects when it may not. */
  request(): Promise<void> {
    this.#leave ??= this.#ask();
    return this.#leave;
  }

  /** It is open, or it cannot be opened: whoever opens it next needs leave again. */
  settle(failure?: Error): void {
    this.#leave = undefined;
    this.#settle(failure);
  }

  /** While somebody thinks about it, and before it is time to try again, the server is not late. */
  wrap(transport: Transport, patience: DeadlinePause): Transport {
    return async (inbound, session) => {
      await patience.during(this.#options.due().then(() => this.request()));
      return transport(inbound, session);
    };
  }

  #ask(): Promise<void> {
    const { gate, plan: opening, signal } = this.#options;
    const opened = new Promise<void>((resolve, reject) => {
      this.#settle = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    // Nobody may be waiting for it any more.
    opened.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => {
        resolve();
        return opened;
      };
      const { act, warnings, current } = opening;
      const passing = gate.pass(act, run, { signal, warnings, current, outcome: () => 'open' });
      passing.catch((error: unknown) => {
        this.#leave = undefined;
        reject(error instanceof Error ? error : new McpError('MCP_CLOSED', { why: String(error) }));
      });
    });
  }
}
