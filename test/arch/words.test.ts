/** House rules about names and code that the linter does not check. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { filesUnder } from '../../scripts/files.ts';
import { codeOf, sourceFiles, textOf } from '../support/source.ts';

const files = sourceFiles();
const tests = [...filesUnder('src', '.test.ts'), ...filesUnder('test', '.test.ts')];

test('no file or folder has a name that says nothing', () => {
  const folders = /(^|\/)(utils?|shared|common|helpers?|internal|core|lib|misc)(\/|\.ts$)/;
  const words = /(^|[/-])(manager|helper|util|abstract|impl|legacy|modern|new|v2)(-[^/]*)?\.ts$/;
  const all = ['src', 'test', 'scripts', 'examples'].flatMap((folder) => filesUnder(folder, '.ts'));
  expect(all.filter((file) => folders.test(file) || words.test(file))).toEqual([]);
});

test('every source file opens by saying what it is', () => {
  expect(files.filter((file) => !/^(?:#!.*\n)?\/\*\*/.test(textOf(file)))).toEqual([]);
});

test('no source file uses any', () => {
  expect(found(/[:<,|&=]\s*any\b|\bas any\b|\bany\[\]/g, codeOf)).toEqual([]);
});

test('the compiler is never silenced, and the linter only with a reason', () => {
  expect(found(/@ts-(?:ignore|nocheck|expect-error).*/g, textOf)).toEqual([]);
  expect(found(/biome-ignore(?! (?:lint\/\S+|format): \S.{10,}).*/g, textOf)).toEqual([]);
  expect(found(/(?:eslint|oxlint)-disable.*/g, textOf)).toEqual([]);
});

test('nothing waits to be done', () => {
  expect(found(/\b(?:TODO|FIXME|XXX|HACK)\b.*/g, textOf)).toEqual([]);
});

test('classes inherit from Error or from nothing, except for the promise that notes who awaits it', () => {
  const others = found(/class \w+(?:<[^{]*>)? extends (?!Error\b)\w+/g, codeOf);
  // `await` calls `then` only on a promise that is not a plain one.
  expect(others).toEqual([expect.stringContaining('class HandlerQuestion<T> extends Promise')]);
});

test('private members are #private', () => {
  // At the start of a line, because keys, addresses and resources can be private or protected, too.
  expect(found(/^\s*(?:static )?(?:private|protected) (?:readonly )?\w+|this\._\w+/gm, codeOf)).toEqual([]);
});

test('no test is left out, and no other is left out for its sake', () => {
  expect(found(/\b(?:test|it|describe)\.(?:only|skip|todo)\b.*/g, codeOf, tests)).toEqual([]);
});

test('the name of a test is a statement', () => {
  expect(found(/\b(?:test|it)(?:\.each\([^)]*\))?\(\s*(['"`])[^'"`\n]*\bshould\b.*/g, codeOf, tests)).toEqual([]);
});

test('the README fits on a page', () => {
  expect(existsSync('README.md') ? textOf('README.md').trimEnd().split('\n').length : 0).toBeLessThan(150);
});

function found(pattern: RegExp, read: (file: string) => string, where: readonly string[] = files): string[] {
  return where.flatMap((file) => [...read(file).matchAll(pattern)].map(([text]) => `${file}: ${text.trim()}`));
}
