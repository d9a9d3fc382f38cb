/** Errors that cross the wire: which numbers there are, and how their texts read. */
import { expect, test } from 'vitest';
import { codeOf, roomOf, sourceFiles } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

const files = sourceFiles().filter((file) => roomOf(file) !== 'testing');

test('no number in the reserved band is ours', () => {
  verifies('BASE-040');
  const defined = [-32700, -32603, -32602, -32601, -32600, -32022, -32021, -32002];
  const used = new Set(
    files.flatMap((file) =>
      [...codeOf(file).matchAll(/(?:RpcError\(\s*|\w = )(-32\d{3})\b/g)].map(([, code]) => Number(code)),
    ),
  );
  expect([...used].sort((a, b) => a - b)).toEqual(defined);
});

test('the text of an error is one short sentence; what else there is to say is data', () => {
  verifies('BASE-016');
  const texts = files.flatMap((file) =>
    [...codeOf(file).matchAll(/new RpcError\(\s*[\w.-]+,\s*(['`])((?:(?!\1).)+)\1/g)].map(([, , text = '']) => text),
  );
  expect(texts.length).toBeGreaterThan(30);
  expect(texts.filter((text) => text.length > 100 || /[.!]\s|[.!]$|\\n/.test(text))).toEqual([]);
});
