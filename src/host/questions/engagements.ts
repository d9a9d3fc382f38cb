/** Which session deals with which server, so that a server's question belongs to somebody, and what they have exchanged. */
import type { Act } from '../act.ts';

export interface Engaged {
  readonly id: string;
  readonly principal: string;
}

/** Of one server in one session, the newest. */
const MAX_EXCHANGES = 20;
const MAX_TEXT = 4_000;

export class Engagements {
  /** By label. A session is there once for each act that is under way. */
  readonly #open: Map<string, Engaged[]> = new Map();
  readonly #exchanged: Map<string, Map<string, string[]>> = new Map();

  /** An act is under way until the returned function is called, with what came of it. */
  begin(session: Engaged, act: Act): (told?: string) => void {
    const entry = { id: session.id, principal: session.principal };
    const open = this.#open.get(act.server) ?? [];
    open.push(entry);
    this.#open.set(act.server, open);
    return (told) => {
      this.#open.set(
        act.server,
        (this.#open.get(act.server) ?? []).filter((one) => one !== entry),
      );
      if (told !== undefined) this.#note(session.id, act, told);
    };
  }

  /** The one session that deals with this server now. If there are several, nobody can tell for whom it asks. */
  with(label: string): Engaged | undefined {
    const [first, ...others] = this.#open.get(label) ?? [];
    return others.every(({ id }) => id === first?.id) ? first : undefined;
  }

  /** What a session has exchanged with a server, oldest first. */
  exchanged(session: string, label: string): readonly string[] {
    return this.#exchanged.get(session)?.get(label) ?? [];
  }

  /** The servers that a session has exchanged something with. */
  labels(session: string): readonly string[] {
    return [...(this.#exchanged.get(session)?.keys() ?? [])];
  }

  end(session: string): void {
    this.#exchanged.delete(session);
  }

  #note(session: string, { server, kind, name, arguments: args }: Act, told: string): void {
    const known = this.#exchanged.get(session) ?? new Map<string, string[]>();
    this.#exchanged.set(session, known);
    const said = `${kind} ${name} ${JSON.stringify(args)}\n${told}`.slice(0, MAX_TEXT);
    known.set(server, [...(known.get(server) ?? []), said].slice(-MAX_EXCHANGES));
  }
}
