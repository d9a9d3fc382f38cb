/** What the command line says. */
import { parseArgs } from 'node:util';
import type { Effort } from './scenario.ts';

export interface Options {
  readonly effort: Effort;
  /** Scenarios to run; all of them when it names none. */
  readonly only: readonly string[];
  readonly json: boolean;
  /** Whether the page is written again, with the newest results of the scenarios that do not run. */
  readonly keep: boolean;
  readonly help: boolean;
}

export const help = (ids: readonly string[]): string => `npm run bench -- [options]

  --quick            few and short rounds, fewer rows; under three minutes
  --only <scenario>  one scenario; may be given more than once
  --rounds <number>  rounds per row (7, with --quick 3)
  --keep             with --only: takes the other scenarios from the newest results, and writes the page
  --json             the results as JSON on stdout instead of a table
  --help             this

Scenarios: ${ids.join(', ')}

One row alone, in rounds enough to tell: npm run bench -- --only task-call --rounds 15
A whole run writes results/<date>.json, the pictures and the tables in README.md; --quick, and --only without --keep, write nothing.
Progress goes to stderr. Ctrl-C ends every process that was started.`;

const thorough: Effort = { quick: false, warmMs: 1_000, warmCalls: 20_000, roundMs: 700, rounds: 7 };
const quick: Effort = { quick: true, warmMs: 100, warmCalls: 2_000, roundMs: 60, rounds: 3 };

export function optionsFrom(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      rounds: { type: 'string' },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const effort = values.quick ? quick : thorough;
  const rounds = values.rounds === undefined ? effort.rounds : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number, 1 or more');
  return { effort: { ...effort, rounds }, only: values.only, json: values.json, keep: values.keep, help: values.help };
}
