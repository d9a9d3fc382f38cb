/** Error codes on the wire, and the style of their messages. */
import { expect, test } from 'vitest';
import { codeOf, roomOf, sourceFiles } from '../support/source.ts';
import { verifies } from '../support/verifies.ts';

const files = sourceFiles().filter((file) => roomOf(file) !== 'testing');

test('no number in the reserved band is ours', () => {
  verifies('BASE-040');
  const defined = [-32700, -32600, -32601, -32602, -32603, -32002, -32020, -32021, -32022, -32042];
  // A comparison names the ends of a range, not a code to send.
  const lines = files.flatMap((file) => codeOf(file).split('\n')).filter((line) => !/[<>]=? -32/.test(line));
  const used = [...new Set(lines.flatMap((line) => line.match(/-32\d{3}\b/g) ?? []))].map(Number);
  expect(used).toContain(-32602);
  expect(used.filter((code) => !defined.includes(code))).toEqual([]);
});

test('the text of an error is one short sentence; what else there is to say is data', () => {
  verifies('BASE-016');
  const texts = files.flatMap((file) =>
    [...codeOf(file).matchAll(/new RpcError\(\s*[\w.-]+,\s*(['`])((?:(?!\1).)+)\1/g)].map(([, , text = '']) => text),
  );
  expect(texts.length).toBeGreaterThan(30);
  expect(texts.filter((text) => text.length > 100 || /[.!]\s|[.!]$|\\n/.test(text))).toEqual([]);
});
