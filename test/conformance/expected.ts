/** What may fail, why, and which issue lifts it. The list may only shrink: an entry that passes everywhere is a fault too. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface Expectation {
  /** A scenario, or all that begin alike: `tasks-*`. */
  readonly scenario: string;
  readonly why: string;
  /** The number of the issue, as it stands in its title. */
  readonly issue: string;
}
export interface Expectations {
  readonly server: readonly Expectation[];
  readonly client: readonly Expectation[];
}
export type Role = keyof Expectations;

export function readExpectations(file: string): Expectations {
  const { server = [], client = [] } = (parse(readFileSync(file, 'utf8')) ?? {}) as Partial<Expectations>; // checked below
  for (const { scenario, why, issue } of [...server, ...client]) {
    for (const text of [scenario, why, issue]) {
      if (typeof text !== 'string' || text === '')
        throw new Error(`${file}: "${scenario}" needs scenario, why and issue`);
    }
  }
  return { server, client };
}

export const covers = ({ scenario }: Expectation, name: string): boolean =>
  scenario.endsWith('*') ? name.startsWith(scenario.slice(0, -1)) : name === scenario;
