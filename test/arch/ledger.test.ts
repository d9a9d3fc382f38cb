/** The rules of the ledger, on a ledger of three requirements, and the form of the real one. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { filesUnder } from '../../scripts/files.ts';
import { ledgerSentence } from '../../scripts/ledger-sentence.ts';
import {
  citations,
  type Evidence,
  judge,
  type NotOurs,
  type Open,
  type Requirement,
} from '../../scripts/requirements.ts';
import { verifies } from '../support/verifies.ts';

const requirements = ['A-1', 'A-2', 'B-1'].map(
  (id): Requirement => ({ id, level: 'MUST', role: 'both', revs: ['x'], text: `${id} holds` }),
);

function judgeAll(evidence: Partial<Evidence>): { states: string[]; problems: string[] } {
  const { judged, problems } = judge({
    requirements,
    cited: new Map(),
    runs: new Map(),
    demanded: [],
    open: [],
    notOurs: [],
    ...evidence,
  });
  return { states: judged.map(({ id, state }) => `${id} ${state}`), problems };
}

/** Judges with all cited ids in one unit test that passed. */
function judgeWith(cited: readonly string[], open: readonly string[]): { states: string[]; problems: string[] } {
  const outcomes = Object.fromEntries(cited.map((id) => [id, 'passed' as const]));
  return judgeAll({
    cited: new Map(cited.map((id) => [id, ['a.test.ts']])),
    runs: new Map([['unit', { 'a.test.ts': outcomes }]]),
    demanded: ['unit'],
    open: [{ ids: open, issue: '9' }],
  });
}

const REST_OPEN: readonly Open[] = [{ ids: ['A-2', 'B-1'], issue: '9' }];

// Split, so that this file does not cite the ids that it quotes.
const quote = (list: string): string => ['verifies', `(${list})`].join('');

test('collects ids from calls that span lines, and not from comments', () => {
  const source = `${quote("\n  'A-1',\n  'A-2',\n")}\n// ${quote("'B-1'")}\n * ${quote("'B-1'")}`;
  const { ids, problems } = citations(new Map([['a.test.ts', source]]));
  expect([...ids]).toEqual([
    ['A-1', ['a.test.ts']],
    ['A-2', ['a.test.ts']],
  ]);
  expect(problems).toEqual([]);
});

test('refuses a call whose ids are not written out', () => {
  const { problems } = citations(new Map([['a.test.ts', `${quote('...ids')}\n${quote('')}`]]));
  expect(problems).toHaveLength(2);
  expect(problems[0]).toContain('single-quoted strings');
});

test('counts a cited requirement as proven, a listed one as open and any other as missing', () => {
  const { states, problems } = judgeWith(['A-1'], ['A-2']);
  expect(states).toEqual(['A-1 proven', 'A-2 open', 'B-1 missing']);
  expect(problems).toEqual([`B-1 (MUST) has no test; cite it with ${quote("'B-1'")} where a test proves it`]);
});

test('reads ranges and families in the open list', () => {
  expect(judgeWith([], ['A-1..A-2', 'B-*']).problems).toEqual([]);
});

test('lets a citation lift one requirement out of an open family', () => {
  const { states, problems } = judgeWith(['A-1'], ['A-*', 'B-*']);
  expect(states).toEqual(['A-1 proven', 'A-2 open', 'B-1 open']);
  expect(problems).toEqual([]);
});

test('refuses a requirement that is cited and still named as open', () => {
  expect(judgeWith(['A-1'], ['A-1..A-2', 'B-1']).problems).toEqual([
    'A-1 is cited by a.test.ts; remove it from ledger/open.yaml',
  ]);
});

test('refuses citations and open entries that name no requirement', () => {
  expect(judgeWith(['C-1'], ['A-*', 'B-*', 'D-*']).problems).toEqual([
    'a.test.ts cites C-1, which ledger/ does not have; look the id up',
    'ledger/open.yaml lists D-*, which matches no requirement; remove it',
  ]);
});

test('does not count a citation whose test was skipped, failed or did not run', () => {
  const cited = new Map([['A-1', ['a.test.ts']]]);
  const skipped = judgeAll({ cited, runs: new Map([['unit', { 'a.test.ts': {} }]]), open: REST_OPEN });
  expect(skipped.states[0]).toBe('A-1 missing');
  expect(skipped.problems).toEqual(['A-1 (MUST): a.test.ts ran, and no test that cites it did; is it skipped here?']);
  const failed = judgeAll({ cited, runs: new Map([['unit', { 'a.test.ts': { 'A-1': 'failed' } }]]), open: REST_OPEN });
  expect(failed.states[0]).toBe('A-1 missing');
  expect(failed.problems).toEqual(['A-1 (MUST): a test that cites it failed in a.test.ts (unit); see its run']);
  const unseen = judgeAll({ cited, demanded: ['unit'], open: REST_OPEN });
  expect(unseen.states[0]).toBe('A-1 elsewhere');
  expect(unseen.problems).toEqual(['No tests of "unit" ran at this state of the tree; run `npm run unit`']);
});

test('a failure in one project outweighs a pass in another', () => {
  const file = 'test/features/a.test.ts';
  const { states } = judgeAll({
    cited: new Map([['A-1', [file]]]),
    runs: new Map([
      ['unit', { [file]: { 'A-1': 'passed' } }],
      ['every', { [file]: { 'A-1': 'failed' } }],
    ]),
    open: REST_OPEN,
  });
  expect(states[0]).toBe('A-1 missing');
});

test('fails where a file that proves something did not run, for the projects that are demanded', () => {
  const cited = new Map([['A-1', ['a.test.ts', 'test/e2e/b.test.ts']]]);
  const runs: Evidence['runs'] = new Map([
    ['unit', { 'a.test.ts': { 'A-1': 'passed' } }],
    ['e2e', {}],
  ]);
  expect(judgeAll({ cited, runs, demanded: ['unit'], open: REST_OPEN }).problems).toEqual([]);
  expect(judgeAll({ cited, runs, demanded: ['unit', 'e2e'], open: REST_OPEN }).problems).toEqual([
    'test/e2e/b.test.ts cites requirements, and was skipped or did not run to its end; run `npm run test:e2e`',
  ]);
});

test('counts what only the documentation fulfils apart from what a test proves', () => {
  const page = 'test/arch/duties.test.ts';
  const runs: Evidence['runs'] = new Map([['unit', { [page]: { 'A-1': 'passed' }, 'a.test.ts': { 'A-2': 'passed' } }]]);
  const cited = new Map([
    ['A-1', [page]],
    ['A-2', [page, 'a.test.ts']],
  ]);
  const { states } = judgeAll({ cited, runs, open: [{ ids: ['B-1'], issue: '9' }] });
  expect(states).toEqual(['A-1 documented', 'A-2 proven', 'B-1 open']);
});

test('takes what is not ours out of the total, and refuses a test that proves it', () => {
  const notOurs: NotOurs[] = [{ ids: ['A-1', 'B-*'], whose: 'others', why: 'they are' }];
  const cited = new Map([
    ['A-1', ['test/arch/duties.test.ts']],
    ['A-2', ['a.test.ts']],
    ['B-1', ['a.test.ts']],
  ]);
  const { states, problems } = judgeAll({ cited, notOurs });
  expect(states).toEqual(['A-1 not ours', 'A-2 elsewhere', 'B-1 not ours']);
  expect(problems).toEqual(['B-1 is cited by a.test.ts; remove it from ledger/not-ours.yaml']);
});

test('the README counts by origin and by proof, without what is not ours', () => {
  const row = { level: 'MUST', role: 'both', text: 'x' };
  const sentence = ledgerSentence([
    { ...row, id: 'A-1', revs: ['2025-06-18', 'io.example/ui'], state: 'proven', citedBy: ['a.test.ts'] },
    { ...row, id: 'A-2', revs: ['io.example/ui'], state: 'documented', citedBy: ['test/arch/duties.test.ts'] },
    { ...row, id: 'A-3', revs: [], state: 'open', citedBy: [] },
    { ...row, id: 'A-4', revs: ['2025-06-18'], state: 'not ours', citedBy: [] },
  ]);
  expect(sentence).toContain(
    '3 requirements: 1 of the five revisions, 1 of official extensions and 1 of other documents',
  );
  expect(sentence).toContain('Tests prove 1, pages of the documentation fulfill 1, and 1 are open');
});

test('every entry of what is not ours says whose it is, and why', () => {
  const odd = read<NotOurs>('not-ours').filter(({ ids, whose, why }) => !ids.length || !whose || !why);
  expect(odd).toEqual([]);
});

test('every requirement has an id of its own, a level, a role, revisions and a text', () => {
  const all = ['base', 'features'].flatMap((name) => read<Requirement>(name));
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  const levels = ['MUST', 'MUST NOT', 'SHOULD', 'SHOULD NOT', 'MAY'];
  const odd = all.filter(
    ({ id, level, role, revs, text }) =>
      !/^[A-Z]+-\d+$/.test(id) || !levels.includes(level) || !role || !Array.isArray(revs) || !text,
  );
  expect(odd).toEqual([]);
});

test('every open entry names the issue that closes it', () => {
  expect(read<Open>('open').filter(({ ids, issue }) => !ids.length || typeof issue !== 'string' || !issue)).toEqual([]);
});

test('verifies keeps what a test cites with the test', ({ task }) => {
  const cite: (...ids: string[]) => void = verifies;
  cite('BASE-001');
  cite('BASE-001', 'BASE-002');
  expect(task.meta.verifies).toEqual(['BASE-001', 'BASE-002']);
  Object.assign(task.meta, { verifies: [] }); // this test does not prove them
});

test('verifies refuses an unknown id and a call without ids', () => {
  const ask: (...ids: string[]) => void = verifies;
  expect(() => ask('NOPE-1')).toThrow('No requirement in ledger/ is called NOPE-1');
  expect(() => ask()).toThrow('name the requirements this test proves');
});

function read<T>(name: string): T[] {
  // The tests above check the form of the entries.
  return parse(readFileSync(`ledger/${name}.yaml`, 'utf8')) as T[];
}

test('what is installed or built while the suites run is no part of the state that tests prove', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-state-'));
  for (const name of ['node_modules', '.cache', 'src']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'a.mjs'), '');
  }
  expect(filesUnder(folder, '.mjs')).toEqual([`${folder}/src/a.mjs`]);
  rmSync(folder, { recursive: true });
});
