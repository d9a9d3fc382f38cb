/** Which session is calling which server, so that a server's question belongs to a session, and what they have exchanged. */
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

/** Of one server in one session, the newest. */
const MAX_EXCHANGES = 20;
const MAX_TEXT = 4_000;

export class ActiveCalls {
  /** By label. A session is there once for each act that is under way. */
  readonly #open: Map<string, Set<OpenCall>> = new Map();
  /** How many models deep the code is that runs now. */
  readonly #depth: AsyncLocalStorage<number> = new AsyncLocalStorage();
  #askedModels: number = 0;
  readonly #exchanged: Map<string, Map<string, string[]>> = new Map();

  /** An act is under way until the returned function is called, with what came of it. */
  begin(session: CallingSession, act: Act): (result?: string) => void {
    const { id, principal } = session;
    const { kind, name } = act;
    const entry = { session: { id, principal }, act: { kind, name }, depth: this.#depth.getStore() ?? 0 };
    const open = this.#open.get(act.server) ?? new Set();
    this.#open.set(act.server, open.add(entry));
    return (result) => {
      open.delete(entry);
      if (result !== undefined) this.#note(session.id, act, result);
    };
  }

  /** The session that is calling this server now; undefined if there are several, because its questions do not say whose they are. */
  sessionOf(label: string): CallingSession | undefined {
    const [first, ...others] = this.#open.get(label) ?? [];
    return others.every(({ session }) => session.id === first?.session.id) ? first?.session : undefined;
  }

  /** The act that this server is working on; undefined if there are several, or none. */
  actOf(label: string): Pick<Act, 'kind' | 'name'> | undefined {
    const [only, ...others] = this.#open.get(label) ?? [];
    return others.length === 0 ? only?.act : undefined;
  }

  /**
   * How deep models are nested when this server asks one: an act that began while a model was being asked is one deeper. A question
   * does not say which act it belongs to, so that the deepest counts.
   */
  depthOf(label: string): number {
    return 1 + Math.max(0, ...[...(this.#open.get(label) ?? [])].map(({ depth }) => depth));
  }

  /** Asks a model that is so deep. A storage that is on costs every promise of the process, so it is off while no model is asked. */
  async runAtDepth<T>(depth: number, run: () => Promise<T>): Promise<T> {
    this.#askedModels += 1;
    try {
      return await this.#depth.run(depth, run);
    } finally {
      this.#askedModels -= 1;
      if (this.#askedModels === 0) this.#depth.disable();
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

  #note(session: string, { server, kind, name, arguments: args }: Act, result: string): void {
    const known = this.#exchanged.get(session) ?? new Map<string, string[]>();
    this.#exchanged.set(session, known);
    const said = cutText(`${kind} ${name} ${JSON.stringify(args)}\n${result}`, MAX_TEXT);
    known.set(server, [...(known.get(server) ?? []), said].slice(-MAX_EXCHANGES));
  }
}
