/** What is written down about each act: once when it is decided, once when it is over. */
import type { Act } from './act.ts';
import type { Decision } from './rule.ts';

export interface AuditRecord {
  /** The id of the act. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly phase: 'decided' | 'done' | 'failed';
  /** Secrets masked. */
  readonly act: Act;
  readonly decision: Decision;
  /** Who was asked said this; absent where nobody was. */
  readonly consent?: { readonly allow: boolean; readonly edited: boolean; readonly reason?: string } | undefined;
  /** What came of it, in short and without its content. */
  readonly outcome?: string | undefined;
}

/** An act whose record cannot be written does not happen. */
export interface Audit {
  write(record: AuditRecord): Promise<void>;
  close?(): Promise<void>;
}
