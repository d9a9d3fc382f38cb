/** Tracks which session is calling which server, to assign a server's question to a session, and records what they exchange. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { cutText } from '../../model/cut-text.ts';
import type { Act } from '../act/act.ts';

export interface CallingSession {
  readonly id: string;
  readonly principal: string;
}

interface OpenCall {
  readonly session: CallingSession;
  readonly act: Pick<Act, 'kind' | 'name'>;
  readonly depth: number;
}

/** Exchanges recorded per server and session; beyond this, the oldest are dropped. */
const MAX_EXCHANGES = 20;
const MAX_TEXT = 4_000;

export class ActiveCalls {
  /** Running acts by label. */
  readonly #open: Map<string, Set<OpenCall>> = new Map();
  /** The nesting depth of the model request in which the current code runs. */
  readonly #depth: AsyncLocalStorage<number> = new AsyncLocalStorage();
  #openModelRequests: number = 0;
  readonly #exchanged: Map<string, Map<string, string[]>> = new Map();

  /** Registers a running act. Call the returned function when it ends, with its result if it succeeded. */
  begin(session: CallingSession, act: Act): (result?: string) => void {
    const { id, principal } = session;
    const { kind, name } = act;
    const entry = { session: { id, principal }, act: { kind, name }, depth: this.#depth.getStore() ?? 0 };
    const open = this.#open.get(act.server) ?? new Set();
    this.#open.set(act.server, open.add(entry));
    return (result) => {
      open.delete(entry);
      if (result !== undefined) this.#recordExchange(session.id, act, result);
    };
  }

  /** The session that is calling this server; undefined if there are several, because a question does not name its session. */
  sessionOf(label: string): CallingSession | undefined {
    const [first, ...others] = this.#open.get(label) ?? [];
    return others.every(({ session }) => session.id === first?.session.id) ? first?.session : undefined;
  }

  /** The act that this server is processing; undefined if there are several, or none. */
  actOf(label: string): Pick<Act, 'kind' | 'name'> | undefined {
    const [only, ...others] = this.#open.get(label) ?? [];
    return others.length === 0 ? only?.act : undefined;
  }

  /**
   * The nesting depth of a model request from this server: one more than that of the act it belongs to. A question does not name its
   * act, so the deepest running act counts.
   */
  depthOf(label: string): number {
    return 1 + Math.max(0, ...[...(this.#open.get(label) ?? [])].map(({ depth }) => depth));
  }

  /** Runs a model request at this depth. An enabled AsyncLocalStorage slows down all promises, so it is disabled after the last request. */
  async runAtDepth<T>(depth: number, run: () => Promise<T>): Promise<T> {
    this.#openModelRequests += 1;
    try {
      return await this.#depth.run(depth, run);
    } finally {
      this.#openModelRequests -= 1;
      if (this.#openModelRequests === 0) this.#depth.disable();
    }
  }

  /** What a session has exchanged with a server, oldest first. */
  exchangesWith(session: string, label: string): readonly string[] {
    return this.#exchanged.get(session)?.get(label) ?? [];
  }

  /** The servers that a session has exchanged something with. */
  labels(session: string): readonly string[] {
    return [...(this.#exchanged.get(session)?.keys() ?? [])];
  }

  endSession(session: string): void {
    this.#exchanged.delete(session);
  }

  #recordExchange(session: string, { server, kind, name, arguments: args }: Act, result: string): void {
    const known = this.#exchanged.get(session) ?? new Map<string, string[]>();
    this.#exchanged.set(session, known);
    const exchange = cutText(`${kind} ${name} ${JSON.stringify(args)}\n${result}`, MAX_TEXT);
    known.set(server, [...(known.get(server) ?? []), exchange].slice(-MAX_EXCHANGES));
  }
}
