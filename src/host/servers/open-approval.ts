/** Permission to open one server: one act covers every attempt until both sides have agreed, and each restart takes another. */
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
  /** The server is open, or cannot be opened. */
  #opened: Deferred<void> | undefined;

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
    if (failure === undefined) this.#opened?.resolve();
    else this.#opened?.reject(failure);
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
    const { act, warnings, current } = plan;
    const [granted, opened] = [new Deferred<void>(), new Deferred<void>()];
    this.#opened = opened;
    // The gate can have stopped waiting for it.
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
