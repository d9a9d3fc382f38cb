/** Keeps this session's audit records in memory for the page, and forwards them to the audit file. */
import type { Audit, AuditRecord, Rule } from '../host/index.ts';
import type { DecisionRow } from './protocol-rows.ts';

/** Beyond this, the oldest records are evicted; the audit file has all of them. */
const MAX_RECORDS = 20_000;

export interface DecisionLogOptions {
  readonly policy: readonly Rule[];
  /** The audit file, if one is configured. */
  readonly file: Audit | undefined;
  /** Masks the secrets of a server in a value. */
  scrub<T>(server: string, value: T): T;
  /** The id that a page chose for the running action. */
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
    const shown = this.#masked(record);
    this.records.push(shown);
    if (this.records.length > MAX_RECORDS) this.records.shift();
    onDecision(this.row(shown), currentRef());
  }

  /** The host masks what looks like a secret. This masks the known secrets of the server too, as in its messages. */
  #masked(record: AuditRecord): AuditRecord {
    const { act, decision, outcome } = record;
    const { name, arguments: args } = act;
    const { why, ...shown } = this.#options.scrub(act.server, { name, arguments: args, why: decision.why });
    return {
      ...{ ...record, act: { ...act, ...shown }, decision: { ...decision, why } },
      ...(outcome === undefined ? {} : { outcome: this.#options.scrub(act.server, outcome) }),
    };
  }

  async read(id: string): Promise<readonly AuditRecord[]> {
    return this.records.filter((one) => one.id === id);
  }

  async close(): Promise<void> {
    await this.#options.file?.close?.();
  }

  /** The last record of an action. */
  find(act: string): DecisionRow | undefined {
    const record = this.records.findLast(({ id }) => id === act);
    return record === undefined ? undefined : this.row(record);
  }

  /** The last record of each action, newest first. */
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

  /** The rule's index in the policy; undefined for built-in rules of the host. */
  ruleIndex(rule: string): number | undefined {
    return this.#rules.get(rule);
  }
}
