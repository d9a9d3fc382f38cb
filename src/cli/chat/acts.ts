/** Numbers what is done in a chat, so that a person can name it. Keeps a proper audit, if there is one, behind it. */
import type { ActKind, Audit, AuditRecord } from '../../host/index.ts';
import type { DeniedAct } from '../host/denial-text.ts';

/** As many as the host can explain without a file. */
const MAX_ACTS = 1_000;
/** What happens while something else is done. */
const within: ReadonlySet<ActKind> = new Set(['elicitation', 'sampling', 'roots', 'completion', 'visit', 'context']);

export class Acts implements Audit {
  readonly #audit: Audit | undefined;
  readonly #ids: Map<number, string> = new Map();
  readonly #denied: Map<string, DeniedAct> = new Map();
  #count = 0;
  #last = 0;

  constructor(audit?: Audit) {
    this.#audit = audit;
  }

  async write(record: AuditRecord): Promise<void> {
    await this.#audit?.write(record);
    if (record.phase !== 'decided') return;
    this.#ids.set(++this.#count, record.id);
    this.#denied.delete(this.#ids.get(this.#count - MAX_ACTS) ?? '');
    this.#ids.delete(this.#count - MAX_ACTS);
    if (!record.allowed) this.#denied.set(record.id, record);
    if (!within.has(record.act.kind)) this.#last = this.#count;
  }

  async read(id: string): Promise<readonly AuditRecord[]> {
    return (await this.#audit?.read?.(id)) ?? [];
  }

  async close(): Promise<void> {
    await this.#audit?.close?.();
  }

  get count(): number {
    return this.#count;
  }

  /** The last act that the user or the model asked for. */
  get last(): number {
    return this.#last;
  }

  deniedAct(id: string): DeniedAct | undefined {
    return this.#denied.get(id);
  }

  numberOf(id: string): number | undefined {
    return [...this.#ids].find(([, one]) => one === id)?.[0];
  }

  /** The id behind a number; an id, or the beginning of one, is as good. */
  idOf(named: string): string | undefined {
    if (/^\d{1,7}$/.test(named)) return this.#ids.get(Number(named));
    const found = [...this.#ids.values()].find((id) => named.length >= 4 && id.startsWith(named));
    return found ?? (/^[\da-f-]{36}$/.test(named) ? named : undefined);
  }
}
