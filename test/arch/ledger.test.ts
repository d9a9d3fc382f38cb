/** The ledger's own rules, on a ledger of three requirements, and the shape of the real one. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { citations, judge, type Open, type Requirement } from '../../scripts/requirements.ts';
import { verifies } from '../support/verifies.ts';

const requirements = ['A-1', 'A-2', 'B-1'].map(
  (id): Requirement => ({ id, level: 'MUST', role: 'both', revs: ['x'], text: `${id} holds` }),
);

function judgeWith(cited: readonly string[], open: readonly string[]): { states: string[]; problems: string[] } {
  const files = new Map(cited.map((id) => [id, ['a.test.ts']]));
  const { judged, problems } = judge(requirements, files, [{ ids: open, issue: '9' }]);
  return { states: judged.map(({ id, state }) => `${id} ${state}`), problems };
}

// Written so that this file does not cite what it only quotes.
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

test('verifies refuses an unknown id and a call without ids', () => {
  const ask: (...ids: string[]) => void = verifies;
  expect(() => ask('NOPE-1')).toThrow('No requirement in ledger/ is called NOPE-1');
  expect(() => ask()).toThrow('name the requirements this test proves');
});

function read<T>(name: string): T[] {
  // The tests above are what checks that the entries have this shape.
  return parse(readFileSync(`ledger/${name}.yaml`, 'utf8')) as T[];
}
