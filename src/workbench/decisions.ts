/** The audit of a workbench: what was decided in this session, and about which act of a page. */
import type { Audit, AuditRecord, Rule } from '../host/index.ts';
import type { DecisionRow } from './protocol-rows.ts';

/** The oldest are forgotten beyond this; the audit file has them all. */
const MAX_RECORDS = 20_000;

export interface DecisionLogOptions {
  readonly policy: readonly Rule[];
  /** A file that gets the records too. */
  readonly file: Audit | undefined;
  /** The id that a page gave to what runs now. */
  currentRef(): string | undefined;
  onDecision(decision: DecisionRow, ref: string | undefined): void;
}

export class DecisionLog implements Audit {
  readonly #options: DecisionLogOptions;
  readonly records: AuditRecord[] = [];
  readonly #rules: ReadonlyMap<string, number>;

  constructor(options: DecisionLogOptions) {
    this.#options = options;
    this.#rules = new Map(options.policy.map(({ text }, at) => [text, at]));
  }

  async write(record: AuditRecord): Promise<void> {
    const { file, currentRef, onDecision } = this.#options;
    await file?.write(record);
    this.records.push(record);
    if (this.records.length > MAX_RECORDS) this.records.shift();
    onDecision(this.row(record), currentRef());
  }

  async read(id: string): Promise<readonly AuditRecord[]> {
    return this.records.filter((one) => one.id === id);
  }

  async close(): Promise<void> {
    await this.#options.file?.close?.();
  }

  /** What came of an act: its last record. */
  find(act: string): DecisionRow | undefined {
    const record = this.records.findLast(({ id }) => id === act);
    return record === undefined ? undefined : this.row(record);
  }

  /** One for each act, newest first. */
  rows(): readonly DecisionRow[] {
    const last = new Map<string, AuditRecord>();
    for (const record of this.records) {
      last.delete(record.id);
      last.set(record.id, record);
    }
    return [...last.values()].reverse().map((record) => this.row(record));
  }

  row({ id, at, act, decision, allowed, consent, approval, phase, outcome }: AuditRecord): DecisionRow {
    const { server, kind, name, arguments: args } = act;
    const { verdict, rule, why } = decision;
    const about = { act: id, at, server, kind, name, arguments: args, verdict, allowed, rule, why, phase };
    return { ...about, ruleIndex: this.ruleIndex(rule), consent, approval, outcome };
  }

  /** Its place in the policy; undefined for rules of the host itself. */
  ruleIndex(rule: string): number | undefined {
    return this.#rules.get(rule);
  }
}
