/** Runs the actions that pages request: each has an id, can be cancelled, and ends with an outcome and its duration. */
import { randomUUID } from 'node:crypto';
import { McpError, RpcError } from '../errors.ts';
import type { RequestOptions } from '../host/index.ts';
import { setNewest } from '../peer/set-newest.ts';
import { untilAborted } from '../peer/wait.ts';
import type { ActFailure, DecisionRow, Outcome } from './protocol-rows.ts';
import type { WorkbenchCore } from './workbench-core.ts';
import type { WorkbenchServers } from './workbench-servers.ts';

/** Concurrent actions; more are rejected. */
const MAX_RUNNING = 500;
const MAX_OUTSTANDING = 20;
/** Number of outcomes that `call.outcome` can return. */
const MAX_OUTCOMES = 20;

export interface ActRequest {
  readonly server: string;
  readonly ref?: string;
  readonly deadlineMs?: number;
  readonly meta?: RequestOptions['meta'];
}
type ActRun<R> = (options: RequestOptions & { readonly signal: AbortSignal }, ref: string) => Promise<R>;
interface RunningAct {
  readonly control: AbortController;
  act?: string;
}

export class PageActs {
  readonly #bench: WorkbenchCore;
  readonly #servers: WorkbenchServers;
  readonly #running: Map<string, RunningAct> = new Map();
  readonly #outcomes: Map<string, Promise<Outcome<unknown>>> = new Map();

  constructor(bench: WorkbenchCore, servers: WorkbenchServers) {
    this.#bench = bench;
    this.#servers = servers;
  }

  /** Associates a decision with the page's action. Decisions about opening a server come first, and are skipped. */
  noteDecision(ref: string, { act, kind }: DecisionRow): void {
    const running = this.#running.get(ref);
    if (running === undefined || kind === 'spawn' || kind === 'connect') return;
    running.act ??= act;
  }

  cancel(ref: string): boolean {
    const running = this.#running.get(ref);
    running?.control.abort(new McpError('MCP_CANCELLED', { method: 'The call', why: 'you cancelled it' }));
    return running !== undefined;
  }

  /** Runs an action. A failure is an outcome too; rejects only for a duplicate id or too many actions. `run` gets the request options. */
  async run<R>(request: ActRequest, run: ActRun<R>): Promise<Outcome<R>> {
    const { ref = randomUUID() } = request;
    if (this.#running.has(ref)) throw new RpcError(-32600, `the call "${ref}" is already running`);
    if (this.#running.size >= MAX_RUNNING)
      throw new RpcError(-32600, `${MAX_RUNNING} calls are running, which is the maximum; cancel one, or wait`);
    const outcome = this.#run({ ...request, ref }, run);
    setNewest(this.#outcomes, ref, outcome, MAX_OUTCOMES);
    return outcome;
  }

  /** The outcome of a running or recent action, for reloaded pages and other tabs. */
  outcome(ref: string): Promise<Outcome<unknown>> | undefined {
    return this.#outcomes.get(ref);
  }

  async #run<R>(
    { server, ref, deadlineMs, meta }: ActRequest & { readonly ref: string },
    run: ActRun<R>,
  ): Promise<Outcome<R>> {
    const { clock, refs } = this.#bench;
    const scrub = (report: object): object => this.#bench.scrub(server, report);
    const running: RunningAct = { control: new AbortController() };
    const { signal } = running.control;
    this.#running.set(ref, running);
    const options = {
      signal,
      onProgress: (report: object) =>
        this.#bench.queueNewest(ref, 'progress', { ref, ...(scrub(report) as { readonly progress: number }) }), // the client validated it
      ...(deadlineMs === undefined ? {} : { timeoutMs: deadlineMs, maxTimeoutMs: deadlineMs }),
      ...(meta === undefined ? {} : { meta }),
    };
    const from = clock.wall();
    try {
      // Outside of `refs.run`: the connection outlives the action, so its messages must not get this id.
      await untilAborted(this.#servers.ensureReady(server), signal);
      const result = await refs.run(ref, () => run(options, ref));
      return { ...this.#about(server, { ref, running, from }), result };
    } catch (error) {
      return {
        ...this.#about(server, { ref, running, from }),
        error: this.failure(server, signal.aborted ? signal.reason : error),
      };
    } finally {
      this.#running.delete(ref);
    }
  }

  /** Describes an error for a page, with secrets masked. */
  failure(server: string, error: unknown): ActFailure {
    const { message } = error instanceof Error ? error : { message: String(error) };
    const code = error instanceof McpError ? error.code : undefined;
    const rpc = error instanceof RpcError ? { code: error.code, message, data: error.data } : undefined;
    const isLost =
      error instanceof McpError && (error.kind === 'exit' || code === 'MCP_CLOSED' || code === 'MCP_OUTCOME_UNKNOWN');
    return {
      ...this.#bench.scrub(server, { message, rpc }),
      code,
      ...(code === 'MCP_TIMEOUT' ? { outstanding: this.#outstanding(server) } : {}),
      ...(isLost ? { unknownOutcome: true as const, remedy: `See the log on the page of the server ${server}.` } : {}),
    };
  }

  #about(
    server: string,
    { ref, running, from }: { readonly ref: string; readonly running: RunningAct; readonly from: number },
  ): Omit<Outcome<never>, 'result' | 'error'> {
    const { clock, history, questions, decisions } = this.#bench;
    const { act } = running;
    if (act !== undefined) history.setAct(ref, act);
    const to = clock.wall();
    const decision = act === undefined ? undefined : decisions.find(act);
    const waitedMs = questions.waitedMs(server, from, to);
    // The action can start with lists that the host fetches first; the span is that of the request after them.
    const spans = history.spansOf(ref);
    const first = spans.find(({ method }) => !/list$|listen$/.test(method)) ?? spans[0];
    return { ref, act, ms: to - from, waitedMs, decision, span: first?.id };
  }

  /** After a timeout: the server's open requests, and the time since its last message. */
  #outstanding(server: string): readonly string[] {
    const { history, clock } = this.#bench;
    const now = clock.wall();
    const lines: string[] = [];
    for (const span of history.spans()) {
      if (span.server !== server || span.to !== undefined) continue;
      lines.push(
        `${span.method}${span.subject === undefined ? '' : ` ${span.subject}`}: open for ${now - span.from} ms`,
      );
      if (lines.length >= MAX_OUTSTANDING) break;
    }
    const last = history.lastFrom(server);
    return [
      ...lines,
      last === undefined
        ? 'no message from the server so far'
        : `last message from the server: ${now - last.at} ms ago`,
    ];
  }
}
