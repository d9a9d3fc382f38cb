/** The options of the command line. */
import { parseArgs } from 'node:util';
import type { Effort } from './scenario.ts';

export interface Options {
  readonly effort: Effort;
  /** Ids of the scenarios to run; empty for all. */
  readonly only: readonly string[];
  readonly json: boolean;
  /** Whether to update the page with this run and keep earlier results of the other scenarios. */
  readonly keep: boolean;
  readonly help: boolean;
}

export const help = (ids: readonly string[]): string => `npm run bench -- [options]

  --quick            short rounds and fewer rows, under three minutes
  --only <scenario>  one scenario; can be repeated
  --rounds <number>  rounds per row (7, with --quick 3)
  --keep             with --only: keeps the newest results of other scenarios, and writes the page
  --json             prints the results as JSON instead of tables
  --help             prints this help

Scenarios: ${ids.join(', ')}

Example, one scenario with more rounds: npm run bench -- --only task-call --rounds 15
A whole run writes results/<date>.json, the charts, and the tables in README.md. --quick, and --only without --keep, write nothing.
Progress goes to stderr. Ctrl-C ends all processes.`;

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
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds is not a positive integer');
  return { effort: { ...effort, rounds }, only: values.only, json: values.json, keep: values.keep, help: values.help };
}
