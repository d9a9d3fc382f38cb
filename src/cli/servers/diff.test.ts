import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './diff.ts';

/** Applies the diff with `patch`. */
function patched(before: string, diff: readonly string[]): string {
  const old = before === '' ? [] : before.split('\n').slice(0, -1);
  const lines: string[] = [];
  let at = 0;
  for (const line of diff.slice(2)) {
    const [, start, length] = /^@@ -(\d+)(?:,(\d+))? /.exec(line) ?? [];
    if (start !== undefined) {
      const first = Number(start) - (length === '0' ? 0 : 1);
      lines.push(...old.slice(at, first));
      at = first;
    } else if (line.startsWith('+')) lines.push(line.slice(1));
    else {
      expect(old[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) lines.push(line.slice(1));
      at++;
    }
  }
  return [...lines, ...old.slice(at)].map((line) => `${line}\n`).join('');
}

test('applying the output of unifiedDiff() to the first text gives the second', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 30 })
    .map((lines) => lines.map((line) => `${line}\n`).join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff('f', before, after);
      expect(before === after ? after : patched(before, diff)).toBe(after);
    }),
    { numRuns: 300 },
  );
});

test('unifiedDiff() shows three lines around each change, with secrets masked', () => {
  const lines = Array.from({ length: 20 }, (_, n) => `  "line${n}": ${n},`);
  lines[11] = '  "GITHUB_TOKEN": "hunter2hunter2",';
  const before = `${lines.join('\n')}\n`;
  const diff = unifiedDiff('/x/mcp.json', before, before.replace('"line10": 10', '"line10": 11'));
  expect(diff).toEqual([
    '--- /x/mcp.json',
    '+++ /x/mcp.json',
    '@@ -8,7 +8,7 @@',
    '   "line7": 7,',
    '   "line8": 8,',
    '   "line9": 9,',
    '-  "line10": 10,',
    '+  "line10": 11,',
    '   "GITHUB_TOKEN": "[masked]",',
    '   "line12": 12,',
    '   "line13": 13,',
  ]);
});

test('unifiedDiff() of equal texts is empty', () => {
  expect(unifiedDiff('f', 'a\n', 'a\n')).toEqual([]);
});
