/** An audit that lasts as long as the process: for tests, and for hosts that keep none. */
import type { Audit, AuditRecord } from './audit.ts';

/** An audit that can be looked at, and is gone with the process. */
export interface MemoryAudit extends Audit {
  readonly records: readonly AuditRecord[];
}

/** Keeps the audit for as long as the process lives. */
export function memoryAudit(): MemoryAudit {
  const records: AuditRecord[] = [];
  return {
    records,
    write: async (record) => void records.push(record),
    read: async (id) => records.filter((one) => one.id === id),
  };
}
