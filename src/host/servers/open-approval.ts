/** Permission to open one server: one act covers every attempt until both sides have agreed, and each restart takes another. */
import { McpError } from '../../errors.ts';
import type { DeadlinePause } from '../../peer/deadlines.ts';
import type { Transport } from '../../peer/exchange.ts';
import type { Gate } from '../gate/gate.ts';
import type { ComparedServerPlan } from './server-plan.ts';

export interface OpenApprovalOptions {
  readonly gate: Gate;
  readonly plan: ComparedServerPlan;
  /** Aborts when the server is closed. */
  readonly signal: AbortSignal;
  /** Resolves when the next attempt is due. */
  readonly due: () => Promise<void>;
}

export class OpenApproval {
  readonly #options: OpenApprovalOptions;
  #requested: Promise<void> | undefined;
  isGranted = false;
  #settle: (failure: Error | undefined) => void = () => undefined;

  constructor(options: OpenApprovalOptions) {
    this.#options = options;
  }

  /** Resolves when the gate allows the server to be opened, and rejects when it does not. */
  request(): Promise<void> {
    this.#requested ??= this.#pass();
    return this.#requested;
  }

  /** The server is open, or cannot be opened: the next attempt takes another act. */
  settle(failure?: Error): void {
    this.#requested = undefined;
    this.#settle(failure);
  }

  /** Timeouts are paused while the user is asked, and until the attempt is due. */
  wrap(transport: Transport, pause: DeadlinePause): Transport {
    return async (inbound, session) => {
      await pause.during(this.#options.due().then(() => this.request()));
      return transport(inbound, session);
    };
  }

  #pass(): Promise<void> {
    const { gate, plan, signal } = this.#options;
    const opened = new Promise<void>((resolve, reject) => {
      this.#settle = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    // The gate can have stopped waiting for it.
    opened.catch(() => undefined);
    return new Promise((resolve, reject) => {
      const run = (): Promise<void> => {
        this.isGranted = true;
        resolve();
        return opened;
      };
      const { act, warnings, current } = plan;
      const passing = gate.pass(act, run, { signal, warnings, current, outcome: () => 'open' });
      passing.catch((error: unknown) => {
        this.#requested = undefined;
        reject(error instanceof Error ? error : new McpError('MCP_CLOSED', { why: String(error) }));
      });
    });
  }
}
