/** The last acts and what was decided on them, to be explained without reading a file. */
import type { AuditRecord } from '../audit/audit.ts';

const MAX_ACTS = 1_000;

export class RecentRecords {
  readonly #byId: Map<string, readonly AuditRecord[]> = new Map();

  add(record: AuditRecord): void {
    this.#byId.set(record.id, [...(this.#byId.get(record.id) ?? []), record]);
    const [oldest] = this.#byId.keys();
    if (this.#byId.size > MAX_ACTS && oldest !== undefined) this.#byId.delete(oldest);
  }

  get(id: string): readonly AuditRecord[] | undefined {
    return this.#byId.get(id);
  }
}
