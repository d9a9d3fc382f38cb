/** The permission to open one server. One act covers all attempts until the server is ready; each restart needs another one. */
import { McpError } from '../../errors.ts';
import type { DeadlinePause } from '../../peer/deadlines.ts';
import type { Transport } from '../../peer/exchange.ts';
import { Deferred } from '../../peer/wait.ts';
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
  /** Settles when the server is open, or cannot be opened. */
  #opened: Deferred<void> | undefined;

  constructor(options: OpenApprovalOptions) {
    this.#options = options;
  }

  /** Resolves when the gate allows the server to be opened, and rejects if the gate denies it. */
  request(): Promise<void> {
    this.#requested ??= this.#pass();
    return this.#requested;
  }

  /** Ends the act: the server is open, or cannot be opened. The next attempt needs another act. */
  settle(failure?: Error): void {
    this.#requested = undefined;
    if (failure === undefined) this.#opened?.resolve();
    else this.#opened?.reject(failure);
  }

  /** Delays connections until the attempt is due and allowed. Timeouts are paused meanwhile. */
  wrap(transport: Transport, pause: DeadlinePause): Transport {
    return async (inbound, session) => {
      await pause.during(this.#options.due().then(() => this.request()));
      return transport(inbound, session);
    };
  }

  #pass(): Promise<void> {
    const { gate, plan, signal } = this.#options;
    const { act, warnings, current } = plan;
    const [granted, opened] = [new Deferred<void>(), new Deferred<void>()];
    this.#opened = opened;
    // Without this, a rejection would be unhandled if the gate no longer waits.
    opened.promise.catch(() => undefined);
    const run = (): Promise<void> => {
      this.isGranted = true;
      granted.resolve();
      return opened.promise;
    };
    gate.pass(act, run, { signal, warnings, current, outcome: () => 'open' }).catch((error: unknown) => {
      this.#requested = undefined;
      granted.reject(error instanceof Error ? error : new McpError('MCP_CLOSED', { why: String(error) }));
    });
    return granted.promise;
  }
}
