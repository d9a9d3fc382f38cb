/** Exported names are unique, so that searching for a name finds its one declaration. */
import { expect, test } from 'vitest';
import { codeOf, sourceFiles } from '../support/source.ts';

/** Names that can be declared twice, with the reason. The list must only shrink. */
const twice: ReadonlyMap<string, string> = new Map([['revision', 'one for each revision']]);

const declaration = /^(export )?(?:declare )?(?:abstract )?(?:async )?(interface|type|class|const|function)\*? (\w+)/gm;

function declaredTwice(counts: (exported: boolean, kind: string) => boolean): string[] {
  const files = new Map<string, Set<string>>();
  for (const file of sourceFiles())
    for (const [, exported, kind = '', name = ''] of codeOf(file).matchAll(declaration))
      if (counts(exported !== undefined, kind)) files.set(name, (files.get(name) ?? new Set()).add(file));
  return [...files].flatMap(([name, found]) => (found.size > 1 ? [name] : [])).toSorted();
}

const isType = (kind: string): boolean => ['interface', 'type', 'class'].includes(kind);

test('a type has a name of its own in the whole of src', () => {
  expect(declaredTwice((_, kind) => isType(kind)).filter((name) => !twice.has(name))).toEqual([]);
});

test('what a file exports has a name of its own in the whole of src', () => {
  expect(declaredTwice((exported) => exported).filter((name) => !twice.has(name))).toEqual([]);
});

test('a name that may stand twice does', () => {
  const found = new Set(declaredTwice((exported, kind) => exported || isType(kind)));
  expect([...twice.keys()].filter((name) => !found.has(name))).toEqual([]);
});
