/** Numbers the acts of a chat, so that `/explain 3` can name them. Forwards records to the configured audit log, if any. */
import type { ActKind, Audit, AuditRecord } from '../../host/index.ts';
import type { DeniedAct } from '../host/denial-text.ts';

/** As many acts as the host can explain without an audit file. */
const MAX_ACTS = 1_000;
/** Acts that occur within another act. */
const nestedKinds: ReadonlySet<ActKind> = new Set([
  'elicitation',
  'sampling',
  'roots',
  'completion',
  'visit',
  'context',
]);

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
    if (!nestedKinds.has(record.act.kind)) this.#last = this.#count;
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

  /** Number of the last act that the user or the model requested; acts within it do not count. */
  get last(): number {
    return this.#last;
  }

  deniedAct(id: string): DeniedAct | undefined {
    return this.#denied.get(id);
  }

  numberOf(id: string): number | undefined {
    return [...this.#ids].find(([, one]) => one === id)?.[0];
  }

  /** Finds an act by its number, its id, or at least four leading characters of its id. */
  idOf(named: string): string | undefined {
    if (/^\d{1,7}$/.test(named)) return this.#ids.get(Number(named));
    const found = [...this.#ids.values()].find((id) => named.length >= 4 && id.startsWith(named));
    return found ?? (/^[\da-f-]{36}$/.test(named) ? named : undefined);
  }
}
