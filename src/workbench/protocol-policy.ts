/** Protocol types for rules, approvals and the lock. Types only. */
import type { JsonObject } from '../jsonrpc/message.ts';
import type { ActVerdict, DecisionRow, PinStatus } from './protocol-rows.ts';

export interface RuleRow {
  readonly text: string;
  /** The number of actions in this session that the rule decided. */
  readonly decided: number;
}
/** A rule to rehearse, as JSON. */
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
  /** Passed back in `lock.accept`. */
  readonly name: string;
  readonly hash: string;
  readonly status: PinStatus;
  /** Changes since the approval, one line each. */
  readonly changes: readonly string[];
}
