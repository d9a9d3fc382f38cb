/** Compares the results of a run with the expected failures. */
import type { Expectation, Expectations, Role } from './expected.ts';
import type { ScenarioResult } from './suite.ts';

export interface Row {
  readonly set: string;
  readonly role: Role;
  /** Passed and scored checks, such as `30/30`; empty if nothing is scored. */
  readonly scored: string;
  readonly all: string;
  readonly excused: number;
  readonly warnings: number;
  readonly surprises: number;
}

/** A scenario passes if at least one check succeeded, none failed and none warned. */
const passes = ({ passed, failed, warnings }: ScenarioResult): boolean => passed > 0 && failed === 0 && warnings === 0;

export class Judge {
  readonly #expectations: Expectations;
  readonly #met: Set<Expectation> = new Set();
  readonly rows: Row[] = [];
  readonly surprises: string[] = [];

  constructor(expectations: Expectations) {
    this.#expectations = expectations;
  }

  /** Whether this scenario can fail. */
  excuses(role: Role, scenario: string): boolean {
    return this.#expectations[role].some((one) => one.scenario === scenario);
  }

  hear(set: string, role: Role, results: readonly ScenarioResult[]): Row {
    const before = this.surprises.length;
    let excused = 0;
    for (const result of results) {
      const expectation = this.#expectations[role].find(({ scenario }) => scenario === result.scenario);
      if (expectation !== undefined) this.#met.add(expectation);
      const surprise = surpriseIn(result, expectation);
      if (surprise !== undefined) this.surprises.push(`${role} ${set}: ${result.scenario} ${surprise}`);
      else if (expectation !== undefined) excused++;
    }
    const scored = results.filter((one) => one.scored === true);
    const row: Row = {
      set,
      role,
      scored: scored.length === 0 ? '' : `${scored.filter(passes).length}/${scored.length}`,
      all: `${results.filter(passes).length}/${results.length}`,
      excused,
      warnings: results.reduce((sum, one) => sum + one.warnings, 0),
      surprises: this.surprises.length - before,
    };
    this.rows.push(row);
    return row;
  }

  /** Reports entries without a scenario. */
  finish(): void {
    for (const one of Object.values(this.#expectations).flat()) {
      if (!this.#met.has(one)) this.surprises.push(`expected-failures.yml: there is no scenario "${one.scenario}"`);
    }
  }
}

function surpriseIn(result: ScenarioResult, expectation: Expectation | undefined): string | undefined {
  if (expectation === undefined) {
    return passes(result)
      ? undefined
      : `does not pass\n    ${result.notes.join('\n    ') || 'nothing in it was checked'}`;
  }
  return passes(result) ? `passes, although expected-failures.yml has "${expectation.scenario}"` : undefined;
}
