/** Runs the acts of one session: each goes through the gate on behalf of the user, and is cancelled when the session closes. */
import { setMaxListeners } from 'node:events';
import type { Client, RequestOptions } from '../../client/index.ts';
import { McpError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { untilAborted } from '../../peer/wait.ts';
import type { Act } from '../act/act.ts';
import type { Verdict } from '../act/rule.ts';
import type { ActSubject } from '../catalogue/act-subject.ts';
import type { Gate, Permit } from '../gate/gate.ts';
import type { ActiveCalls, CallingSession } from '../questions/active-calls.ts';
import { CancellationGroup } from './cancellation-group.ts';

export interface SessionPass<T> {
  readonly given: RequestOptions;
  /** `signal` aborts with the caller's and with the session. */
  readonly run: (client: Client, permit: Permit, signal: AbortSignal | undefined) => Promise<T>;
  readonly editable?: boolean;
  readonly onVerdict?: ((verdict: Verdict) => Promise<void>) | undefined;
}

interface SessionActsContext {
  readonly gate: Gate;
  readonly activeCalls: ActiveCalls;
  readonly session: CallingSession;
  /** The skills in use, which rules can match with `under`. */
  readonly skillsInUse: () => NonNullable<Act['under']>;
}

export class SessionActs {
  readonly #context: SessionActsContext;
  readonly #running: CancellationGroup = new CancellationGroup();
  readonly #closing: AbortController = new AbortController();
  /** Aborts when the session is closed. */
  readonly closeSignal: AbortSignal = this.#closing.signal;
  #closed: McpError | undefined;

  constructor(context: SessionActsContext) {
    this.#context = context;
    // Every view and task listens to it; avoids MaxListenersExceededWarning.
    setMaxListeners(0, this.closeSignal);
  }

  throwIfClosed(): void {
    if (this.#closed !== undefined) throw this.#closed;
  }

  async close(): Promise<void> {
    this.#closed ??= new McpError('MCP_CLOSED', { why: 'the session was closed' });
    this.#closing.abort(this.#closed);
    this.#running.cancelAll(this.#closed);
    await this.#running.settled();
  }

  /** Runs an operation that the caller's signal, or closing the session, cancels. */
  async run<T>(options: RequestOptions, run: (given: RequestOptions) => Promise<T>): Promise<T> {
    this.throwIfClosed();
    return this.#running.run(options.signal, (signal) => run({ ...options, signal }));
  }

  /** Runs one act; within a `run`, use `pass`. */
  runAct<T>(act: Act, subject: ActSubject, { given, ...options }: SessionPass<T>): Promise<T> {
    return this.run(given, (own) => this.pass(act, subject, { ...options, given: own }));
  }

  async pass<T>(act: Act, found: ActSubject, { given, run, editable, onVerdict }: SessionPass<T>): Promise<T> {
    const { server, warnings } = found;
    // Prevents the idle timeout while the user is asked.
    const release = server.keep();
    try {
      const client = await server.client(given.signal);
      const { closeSignal } = server;
      // The fingerprint of the server is known once it is open.
      const { meta } = given;
      const opened: Act = { ...act, ...server.identity(), ...(meta === undefined ? {} : { meta }) };
      const allowed = async (permit: Permit): Promise<T> => {
        await found.approve?.();
        return this.#track(opened, untilAborted(run(client, permit, given.signal), closeSignal));
      };
      return await this.#context.gate.pass(opened, allowed, {
        signal: given.signal,
        current: () => currentOf(opened, found, given.signal),
        warnings,
        editable,
        onVerdict,
        outcome: (result) => (isFailed(result) ? 'the tool says that it failed' : 'answered'),
      });
    } finally {
      release();
    }
  }

  /** Registers a running act, so that questions of its server are assigned to this session. */
  async #track<T>(act: Act, running: Promise<T>): Promise<T> {
    const end = this.#context.activeCalls.begin(this.#context.session, act);
    try {
      const result = await running;
      end(textOf(result));
      return result;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Creates an act. The server's fingerprint is from its last opening; `pass` updates it. */
  actOn(kind: Act['kind'], { server, name, facts }: ActSubject, args: JsonObject): Act {
    const { session, skillsInUse } = this.#context;
    const under = skillsInUse();
    const { principal, id } = session;
    const act = { kind, name, arguments: args, principal, session: id, effects: 'unknown', carries: [] } as const;
    return { ...act, ...(under.length === 0 ? {} : { under }), ...server.identity(), ...facts };
  }
}

/** The current definition and fingerprint, to compare after the user was asked. Without a definition, only the fingerprint counts. */
async function currentOf(
  { definition }: Act,
  { server, current }: ActSubject,
  signal: AbortSignal | undefined,
): Promise<Pick<Act, 'definition' | 'fingerprint'> | undefined> {
  const now = current === undefined ? { definition } : await current(signal);
  return now === undefined ? undefined : { ...now, fingerprint: server.identity().fingerprint };
}

const textOf = (result: unknown): string =>
  isObject(result) && 'text' in result ? String(result['text']) : JSON.stringify(result);

const isFailed = (result: unknown): boolean => isObject(result) && result['isError'] === true;
