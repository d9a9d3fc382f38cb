/** Features that the newest revision deprecates are marked `@deprecated`. */
import { expect, test } from 'vitest';
import { sourceFiles, textOf } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

/** The declaration below each `@deprecated` comment, with the comment on one line. */
const marked = sourceFiles().flatMap((file) =>
  [
    ...textOf(file).matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*?@deprecated(?:(?!\*\/)[\s\S])*?)\*\/\s*(?:readonly )?(\w+)/g),
  ].map(([, comment = '', name = '']) => ({ file, name, comment: comment.replace(/\s*\n\s*\*\s*/g, ' ') })),
);

test('logging, sampling and roots are deprecated for authors of servers and of clients', () => {
  verifies('EXT-12');
  const names = new Set(marked.map(({ file, name }) => `${file.split('/')[1]} ${name}`));
  const expected = [
    'server log',
    'server sample',
    'server roots',
    'client sample',
    'client roots',
    'client onLog',
    'model includeContext',
  ];
  expect(expected.filter((name) => !names.has(name))).toEqual([]);
});

test('every mark names the proposal and the earliest removal, or the name whose mark does', () => {
  verifies('EXT-12');
  const vague = marked.filter(
    ({ comment }) => !(/SEP-\d+/.test(comment) && /earliest removal/.test(comment)) && !/as `\w+` is/.test(comment),
  );
  expect(vague.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
