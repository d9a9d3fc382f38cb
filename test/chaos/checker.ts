/** Compares what callers saw with what upstreams did, and reports violations. */
import type { CallerNotes, CallNote } from './callers.ts';

/** The time of one disturbance. */
export interface DisturbanceWindow {
  readonly name: string;
  readonly began: number;
  readonly ended: number;
  /** Whether it is invisible to callers of revisions without sessions. */
  readonly store?: boolean;
  /** Whether it is invisible to all callers. */
  readonly isHarmless?: boolean;
}

export interface ChaosRecord {
  readonly notes: CallerNotes;
  /** Keys as the upstreams wrote them, in order. */
  readonly ledger: readonly string[];
  readonly windows: readonly DisturbanceWindow[];
  /** Changes that a connected watcher did not receive in time, and the number of changes expected. */
  readonly missedChanges: readonly string[];
  readonly changes: number;
  /** Calls that gateways still have open after the quiet time. */
  readonly leftOpen: number;
  /** Per gateway, heap bytes after each round without a restart. */
  readonly heaps: readonly (readonly number[])[];
}

/** The maximum growth of the heap between the first and the last round. */
const HEAP_GROWTH = 1.1;

/** Examples in the table per demand. */
const MAX_EXAMPLES = 20;

export interface Demand {
  readonly text: string;
  readonly count: number;
  readonly examples: readonly string[];
}

const overlaps = ({ began, ended }: CallNote, window: DisturbanceWindow): boolean =>
  began <= window.ended && ended >= window.began;

/** Demands whose counts must be 0. */
export function checkChaos(record: ChaosRecord): readonly Demand[] {
  const { notes, ledger, windows } = record;
  const done = new Map<string, number>();
  for (const key of ledger) done.set(key, (done.get(key) ?? 0) + 1);
  const answered = notes.calls.filter(({ text }) => text !== undefined);
  const failed = notes.calls.filter(({ text }) => text === undefined);
  const store = windows.filter((window) => window.store === true);
  const harmless = windows.filter((window) => window.isHarmless === true);
  const isExplained = (call: CallNote): boolean =>
    windows.some((window) => window.isHarmless !== true && overlaps(call, window));
  const keys = (calls: readonly CallNote[]): string[] =>
    calls.map((call) => `${describeCall(call)}, during ${duringOf(call).join(', ') || 'quiet'}`);
  const duringOf = (call: CallNote): string[] =>
    windows.filter((window) => overlaps(call, window)).map(({ name }) => name);
  const demand = (text: string, found: readonly string[]): Demand => ({
    text,
    count: found.length,
    examples: found.slice(0, MAX_EXAMPLES),
  });
  const isSessionless = ({ caller }: CallNote): boolean => caller >= '2026' && caller !== 'raw';
  return [
    demand('answered but not done', keys(answered.filter(({ key }) => !done.has(key)))),
    demand(
      'done twice',
      [...done].filter(([, times]) => times > 1).map(([key]) => key),
    ),
    demand(
      'answered with the answer to another call',
      keys(answered.filter(({ key, text }) => text !== `done ${key}`)),
    ),
    demand(
      'question shown twice',
      [...notes.questions].filter(([, times]) => times > 1).map(([key]) => key),
    ),
    demand(
      'sessions lost with the store up',
      notes.lostSessions
        .filter((at) => !store.some(({ began, ended }) => at >= began && at <= ended))
        .map((at) => `at ${Math.round(at)} ms`),
    ),
    demand(
      'progress out of order, or after the answer',
      keys(answered.filter((call) => call.wasLate || !isInOrder(call))),
    ),
    demand('progress with a gap', keys(answered.filter(hasGap))),
    demand('failed where nothing was killed, stopped or cut', keys(failed.filter((call) => !isExplained(call)))),
    demand(
      'failed in a rolling restart or reload',
      keys(failed.filter((call) => harmless.some((window) => overlaps(call, window)) && !isExplained(call))),
    ),
    demand(
      'calls without a session that failed while Redis alone was away',
      keys(
        failed.filter(
          (call) =>
            isSessionless(call) &&
            store.some((window) => overlaps(call, window)) &&
            !windows.some((window) => window.store !== true && window.isHarmless !== true && overlaps(call, window)),
        ),
      ),
    ),
    demand('changes not heard within 10 s by a watcher', record.missedChanges),
    demand(
      'calls left open after quiet',
      Array.from({ length: record.leftOpen }, () => 'a call'),
    ),
    demand(
      'gateways whose memory grew by more than a tenth',
      record.heaps
        .filter((rounds) => (rounds.at(-1) ?? Number.POSITIVE_INFINITY) > (rounds[0] ?? 0) * HEAP_GROWTH)
        .map((rounds) => inMebibytes(rounds)),
    ),
  ];
}

const inMebibytes = (rounds: readonly number[]): string =>
  `${rounds.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(' ')} MiB`;

const describeCall = ({ key, caller, error, text, progress }: CallNote): string =>
  `${key} (${caller}): ${error ?? text}${progress.length > 0 ? ` after progress ${progress.join(' ')}` : ''}`;

const isInOrder = ({ progress }: CallNote): boolean =>
  progress.every((number, i) => i === 0 || number > (progress[i - 1] ?? 0));

const hasGap = ({ tool, progress }: CallNote): boolean =>
  tool.endsWith('stream') && progress.some((number, i) => number !== i + 1);

function tally(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

export function chaosTable(record: ChaosRecord, demands: readonly Demand[]): string {
  const { notes, windows } = record;
  const failed = notes.calls.filter(({ text }) => text === undefined);
  const byCaller = tally(notes.calls.map(({ caller }) => caller));
  const byName = tally(windows.map(({ name }) => name));
  return [
    `calls     ${notes.calls.length} (${[...byCaller].map(([caller, calls]) => `${caller}: ${calls}`).join(', ')}), of which ${failed.length} failed`,
    `done      ${record.ledger.length}, questions ${notes.questions.size}, changes ${record.changes}`,
    ...record.heaps.map((rounds, i) => `heap ${i}    ${inMebibytes(rounds)}`),
    `disturbed ${[...byName].map(([name, count]) => `${name} × ${count}`).join(', ')}`,
    '',
    ...demands.map(({ text, count }) => `${count === 0 ? 'ok  ' : 'FAIL'} ${String(count).padStart(5)}  ${text}`),
    ...demands.flatMap(({ text, examples }) => examples.map((example) => `     ${text}: ${example}`)),
  ].join('\n');
}
