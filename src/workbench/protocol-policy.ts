/** What the page of the workbench is shown of rules, approvals and the lock. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ActVerdict, DecisionRow, PinStatus } from './protocol-rows.ts';

export interface RuleRow {
  readonly text: string;
  /** How many acts of this session it decided. */
  readonly decided: number;
}
/** A rule as a page writes it: what it says, and what it is about. */
export interface DraftRule {
  readonly verdict: ActVerdict;
  readonly match: JsonObject;
}
export interface RehearsalRow {
  readonly from: ActVerdict;
  readonly to: ActVerdict;
  readonly rule: string;
  readonly count: number;
  readonly example: DecisionRow;
}
export interface ApprovalRow {
  readonly id: string;
  readonly server: string;
  readonly kind: string;
  readonly name: string;
  readonly rule: string;
  readonly anyArguments: boolean;
  readonly until: 'session' | number;
  readonly at: number;
}
export interface LockRow {
  readonly kind: 'tool' | 'prompt' | 'template' | 'instructions';
  readonly server: string;
  /** For `lock.accept`. */
  readonly name: string;
  readonly hash: string;
  readonly status: PinStatus;
  /** What changed since it was approved, one line for each place. */
  readonly changes: readonly string[];
}
