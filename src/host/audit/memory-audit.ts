/** An in-memory audit log, for tests and for hosts without a log file. */
import type { Audit, AuditRecord } from './audit.ts';

/** An in-memory audit log whose records can be read. */
export interface MemoryAudit extends Audit {
  readonly records: readonly AuditRecord[];
}

/** Creates an in-memory audit log. */
export function memoryAudit(): MemoryAudit {
  const records: AuditRecord[] = [];
  return {
    records,
    write: async (record) => void records.push(record),
    read: async (id) => records.filter((one) => one.id === id),
  };
}
