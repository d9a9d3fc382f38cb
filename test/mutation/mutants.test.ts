/** The mutations, and which explanations apply. */
import { expect, test } from 'vitest';
import { type Explained, staleEntries } from './explained.ts';
import { applyMutant, findMutants, insertProbes, type Mutant } from './mutants.ts';
import { importGraph, nearestTests } from './nearest-tests.ts';
import { pick } from './sample.ts';
import { guardedFiles } from './targets.ts';

function changesIn(source: string): string[] {
  return findMutants('a.ts', source).mutants.map(
    ({ operator, original, replacement }) => `${operator}: ${original} -> ${replacement}`,
  );
}

test('mutants force conditions, move boundaries, turn comparisons, drop statements and return nothing', () => {
  expect(changesIn('if (a < 1) { b(); } else throw c;')).toEqual([
    'always: a < 1 -> true',
    'never: a < 1 -> false',
    'boundary: a < 1 -> a <= 1',
    'swapped: a < 1 -> 1 < a',
    'constant: 1 -> 2',
    'limit: 1 -> 0',
    'drop: b(); -> ;',
    'no throw: throw c; -> ;',
  ]);
  expect(changesIn('const f = () => a && b; const g = (c) => { return !c === d; };')).toEqual([
    'return nothing: a && b -> undefined',
    'left only: a && b -> (a)',
    'right only: a && b -> (b)',
    'return nothing: !c === d -> undefined',
    'opposite: !c === d -> !c !== d',
    'not negated: !c -> (c)',
  ]);
  expect(changesIn('for (;;) { f({ ...a, 1: true }); continue; }')).toEqual([
    'drop: f({ ...a, 1: true }); -> ;',
    'drop spread: ...a -> ...[]',
    'constant: true -> false',
    'no jump: continue; -> ;',
  ]);
});

test('mutants let regular expressions match more: anchors, repetitions, classes and flags', () => {
  expect(changesIn('/^a+[\\]+b]{2,3}\\$(?<!\\w)$/giu')).toEqual([
    'drop: /^a+[\\]+b]{2,3}\\$(?<!\\w)$/giu -> ;',
    'no anchor: ^ -> ',
    'any number: + -> *',
    'any character: [\\]+b] -> [^]',
    'any number: {2,3} -> *',
    'any character: \\w -> [^]',
    'no anchor: $ -> ',
    'no flag: g -> ',
    'no flag: i -> ',
  ]);
});

test.each([
  [
    "new Set(['a', 'b'])",
    ["drop element: 'a',  -> ", "drop element: 'b' -> ", "no text: 'a' -> ''", "no text: 'b' -> ''"],
  ],
  ["['a person reads this', ...b]", ["drop element: 'a person reads this',  -> ", 'drop spread: ...b -> ...[]']],
  [`\`\${a}:\${b}\``, ["no part: a -> ''", "no part: b -> ''"]],
  [`\`\${a} is not \${b}\``, []],
  ['a.some(b)', ['other method: some -> every']],
  ['a.startsWith(b)', ['other method: startsWith -> includes']],
  ['Math.min(a, b)', ['other method: min -> max']],
  ['a.toLowerCase()', ['no call: a.toLowerCase() -> a']],
  ['a?.b', ['not optional: ?. -> .']],
  ['a?.[b]', ['not optional: ?. -> ']],
  ['a?.(b)', ['not optional: ?. -> ']],
  ['a ?? b', ['left only: a ?? b -> (a)', 'right only: a ?? b -> (b)']],
  ['60', ['constant: 60 -> 61', 'limit: 60 -> 60000', 'limit: 60 -> 0']],
  ['a % b', ['opposite: a % b -> a * b']],
  ['await a', ['no await: await a -> (a)']],
])('mutants change %s', (expression, changes) => {
  expect(changesIn(`const x = ${expression};`)).toEqual(changes);
});

test('mutants leave out a return that other statements follow or precede, and an await that the caller does not repeat', () => {
  const found = (source: string): string[] => changesIn(source).filter((change) => /^no (?:return|await)/.test(change));
  expect(found('function f() { if (a) return b; switch (c) { case d: return e; } return g; }')).toEqual([
    'no return: return e; -> ;',
  ]);
  expect(found('function f() { if (a) { b(); return; } c(); }')).toEqual(['no return: return; -> ;']);
  expect(found('async () => await a; async () => { return await b; }')).toEqual([]);
  expect(found('async () => { try { return await a; } catch { await b; } }')).toEqual([
    'no await: await a -> (a)',
    'no await: await b -> (b)',
  ]);
});

test('mutants leave types, imports and what returns nearly nothing alone', () => {
  expect(
    changesIn("import a from 'b'; type T = 1 | true; const x = a as 5; const f = (): 7 => false as never;"),
  ).toEqual(['return nothing: false as never -> undefined', 'constant: false -> true']);
  expect(changesIn('const f = () => { return undefined; }; const g = () => null;')).toEqual([]);
});

test('a mutant is applied where it was found, and names its line and function', () => {
  const source = 'const a = 1;\nfunction f() {\n  return 2;\n}\n';
  const { mutants } = findMutants('a.ts', source);
  const found = mutants.find(({ original }) => original === '2') as Mutant; // the source contains it
  expect(found).toMatchObject({ line: 3, text: 'return 2;', inside: 0 });
  expect(applyMutant(source, found)).toBe(source.replace('return 2', `return ${found.replacement}`));
  expect(mutants.find(({ original }) => original === '1')?.inside).toBe(-1);
});

test('probes are put into blocks and bare bodies, nested ones too', () => {
  const source = 'const f = (x) => (y) => ({ z: x + y }); function g() { return f(1)(2); }';
  const { functions } = findMutants('a.ts', source);
  const probed = insertProbes(source, functions, (index) => `hit(${index})`);
  const hits: number[] = [];
  expect(new Function('hit', `${probed}; return g();`)((index: number) => hits.push(index))).toEqual({ z: 3 });
  expect(hits).toEqual([2, 0, 1]);
});

test('a sample depends on its seed alone and has no mutant twice', () => {
  const all = Array.from({ length: 50 }, (_, index) => index);
  expect(pick(all, 11, 'a')).toEqual(pick(all, 11, 'a'));
  expect(pick(all, 11, 'a')).not.toEqual(pick(all, 11, 'b'));
  expect(new Set(pick(all, 11, 'a')).size).toBe(11);
  expect(pick(all, 99, 'a')).toEqual(all);
});

test('an explanation is stale when its mutant is gone or killed', () => {
  const { mutants } = findMutants('a.ts', 'const a = 1;');
  const entry: Explained = { file: 'a.ts', line: 'const a = 1;', original: '1', replacement: '2', reason: 'because' };
  expect(staleEntries([entry], mutants, new Set())).toEqual([]);
  expect(staleEntries([entry], mutants, new Set(mutants))).toEqual(['a.ts: 1 -> 2: a test kills it now']);
  expect(staleEntries([{ ...entry, line: 'const b = 1;' }], mutants, new Set())).toEqual([
    'a.ts: 1 -> 2: the source has no such mutant any more',
  ]);
});

test('every guarded file has tests that reach it, its own first', () => {
  const importers = importGraph();
  expect(guardedFiles().length).toBeGreaterThan(40);
  expect(guardedFiles().filter((file) => nearestTests(file, importers).length === 0)).toEqual([]);
  expect(nearestTests('src/host/consent/approvals.ts', importers)[0]).toBe('src/host/consent/approvals.test.ts');
});

test('the tests beside a file are run however far their imports lead', () => {
  const nearest = nearestTests('src/revisions/asks/replayed.ts', importGraph(), 3);
  expect(nearest.slice(0, 3)).not.toContain('src/revisions/asks/retry.test.ts');
  expect(nearest).toContain('src/revisions/asks/retry.test.ts');
  expect(nearest.slice(3).filter((file) => !file.startsWith('src/revisions/asks/'))).toEqual([]);
});

test('of tests that are equally far from a file, those that are named alike are run first', () => {
  const importers = importGraph();
  expect(nearestTests('src/host/apps/view-acts.ts', importers, 4)).toContain('test/features/host-views.test.ts');
  expect(nearestTests('src/host/skills/host-skills.ts', importers, 4)).toContain('test/features/host-skills.test.ts');
});
