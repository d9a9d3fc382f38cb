/** The guide says how many lines authorization costs; they are counted in the examples. */
import { expect, test } from 'vitest';
import { textOf } from '../support/source.ts';

const rows = [
  ...textOf('docs/guide/authorization.md').matchAll(/^\|[^|]+\| (\d+) \| \[`([\w-]+\.ts)`\]\([^)]+\), (\w+) \|$/gm),
];

function linesIn(file: string, region: string): string[] {
  const [, body = ''] =
    new RegExp(`// #region ${region}\\n(.*?)// #endregion`, 's').exec(textOf(`examples/${file}`)) ?? [];
  return body.split('\n').filter((line) => !/^\s*($|\/\/|\/\*\*)/.test(line));
}

test('the table of the guide has the lines that the examples have', () => {
  expect(rows.length).toBeGreaterThanOrEqual(5);
  for (const [row, lines, file = '', region = ''] of rows)
    expect(linesIn(file, region), row).toHaveLength(Number(lines));
});
