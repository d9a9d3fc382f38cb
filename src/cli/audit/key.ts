/** The key of an audit log comes from the environment: an argument would be seen by every user of the machine. */
import type { AuditKey } from '../../host/audit/hash-chain.ts';
import type { Shell } from '../shell.ts';

export function auditKey({ env }: Shell): AuditKey | undefined {
  const key = env['MOORING_AUDIT_KEY'];
  return key === undefined || key === '' ? undefined : key;
}
