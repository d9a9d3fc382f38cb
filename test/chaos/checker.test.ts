/** The checker finds every violation. */
import { expect, test } from 'vitest';
import type { CallNote } from './callers.ts';
import { type ChaosRecord, chaosTable, checkChaos } from './checker.ts';

const answered = (key: string, more: Partial<CallNote> = {}): CallNote => ({
  ...{ key, caller: '2025-11-25', tool: 'legacy__once', began: 100, ended: 200, text: `done ${key}` },
  ...{ progress: [], wasLate: false },
  ...more,
});
const failed = (key: string, more: Partial<CallNote> = {}): CallNote =>
  answered(key, { text: undefined, error: 'lost', ...more });
const killed = { name: 'kill', began: 150, ended: 160 };
const record = (calls: readonly CallNote[], more: Partial<ChaosRecord> = {}): ChaosRecord => ({
  notes: { calls: [...calls], questions: new Map(), lostSessions: [] },
  ledger: calls.flatMap(({ key, text }) => (text === undefined ? [] : [key])),
  ...{ windows: [], missedChanges: [], changes: 0, leftOpen: 0, heaps: [[100, 130, 110]] },
  ...more,
});
const found = (one: ChaosRecord): string[] =>
  checkChaos(one)
    .filter(({ count }) => count > 0)
    .map(({ text }) => text);

// The demands of `npm run chaos` on each run.
test('a run in which all is well has nothing to report', () => {
  const calls = [answered('a'), answered('b', { tool: 'legacy__stream', progress: [1, 2, 3] }), failed('c')];
  expect(found(record(calls, { windows: [killed] }))).toEqual([]);
});

const faults: readonly [string, ChaosRecord][] = [
  ['answered but not done', record([answered('a')], { ledger: [] })],
  ['done twice', record([answered('a')], { ledger: ['a', 'a'] })],
  ['answered with the answer to another call', record([answered('a', { text: 'done b' })])],
  ['question shown twice', record([], { notes: { calls: [], questions: new Map([['a', 2]]), lostSessions: [] } })],
  ['sessions lost with the store up', record([], { notes: { calls: [], questions: new Map(), lostSessions: [150] } })],
  ['progress out of order, or after the answer', record([answered('a', { progress: [2, 1] })])],
  ['progress out of order, or after the answer', record([answered('a', { wasLate: true })])],
  ['progress with a gap', record([answered('a', { tool: 'legacy__stream', progress: [1, 3] })])],
  ['failed where nothing was killed, stopped or cut', record([failed('a')])],
  ['failed where nothing was killed, stopped or cut', record([failed('a', { began: 161 })], { windows: [killed] })],
  ['failed in a rolling restart or reload', record([failed('a')], { windows: [{ ...killed, isHarmless: true }] })],
  [
    'calls without a session that failed while Redis alone was away',
    record([failed('a', { caller: '2026-07-28' })], { windows: [{ ...killed, store: true }] }),
  ],
  ['changes not heard within 10 s by a watcher', record([], { missedChanges: ['one'] })],
  ['calls left open after quiet', record([], { leftOpen: 1 })],
  ['gateways whose memory grew by more than a tenth', record([], { heaps: [[100, 111]] })],
  ['gateways whose memory grew by more than a tenth', record([], { heaps: [[]] })],
];

test.each(faults)('the checker reports "%s"', (text, one) => {
  expect(found(one)).toContain(text);
  expect(chaosTable(one, checkChaos(one))).toContain(`FAIL     1  ${text}`);
});

test('a session that was lost while the store was away is no fault', () => {
  const notes = { calls: [], questions: new Map<string, number>(), lostSessions: [155] };
  expect(found(record([], { notes, windows: [{ ...killed, store: true }] }))).toEqual([]);
});
