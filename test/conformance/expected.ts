/** Reads the expected failures: what can fail, why, and which issue fixes it. Entries that pass everywhere are errors. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** One scenario, by its full name. */
export interface Expectation {
  readonly scenario: string;
  readonly why: string;
  /** The number of the issue. */
  readonly issue: string;
}
export interface Expectations {
  readonly server: readonly Expectation[];
  readonly client: readonly Expectation[];
  /** For the server behind a gateway. */
  readonly gateway: readonly Expectation[];
}
export type Role = keyof Expectations;

/** The form in the file: scenarios that share a reason. */
interface Entry {
  readonly scenarios: readonly string[];
  readonly why: string;
  readonly issue: string;
}

export function readExpectations(file: string): Expectations {
  return parseExpectations(readFileSync(file, 'utf8'), file);
}

export function parseExpectations(text: string, file: string): Expectations {
  const { server = [], client = [], gateway = [] } = (parse(text) ?? {}) as Partial<Record<Role, Entry[]>>; // checked below
  const all = (entries: readonly Entry[]): Expectation[] => entries.flatMap((entry) => one(entry, file));
  return { server: all(server), client: all(client), gateway: all(gateway) };
}

function one({ scenarios, why, issue }: Entry, file: string): Expectation[] {
  if (!Array.isArray(scenarios) || scenarios.length === 0) throw new Error(`${file}: an entry names no scenarios`);
  return scenarios.map((scenario): Expectation => {
    for (const text of [scenario, why, issue]) {
      if (typeof text !== 'string' || text === '')
        throw new Error(`${file}: "${scenario}" needs a name, why and issue`);
    }
    // A pattern would also match scenarios of later suites.
    if (!/^[\w/-]+$/.test(scenario)) throw new Error(`${file}: "${scenario}" is no scenario's whole name`);
    return { scenario, why, issue };
  });
}
