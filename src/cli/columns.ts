/** Names and what is said about them, in two columns that fit where they are shown. */
import { widthOf } from '../terminal/wrap-line.ts';
import type { Shell } from './shell.ts';

export type Row = readonly [name: string, about: string];

/** Names that are longer stand on lines of their own: one long name must not push everything else aside. */
const LONGEST_NAME = 32;
/** What is said about a name needs this much room beside it; where there is less, it goes below. */
const ROOM = 30;
/** Of what is printed into a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;
/** Longer lines of prose are hard to read. */
const WIDEST_PROSE = 100;

/** How wide paragraphs are where they are shown. */
export const widthOfText = ({ isTTY, columns: given = 0 }: Shell['stdout']): number =>
  isTTY === true ? Math.min(given > 0 ? given : USUAL_COLUMNS, WIDEST_PROSE) : WIDEST_PROSE;

/** Wrapped on a terminal. Elsewhere a line for each row, for programs that read lines. Rows hold printable text of one line. */
export const columns = (rows: readonly Row[], output: Shell['stdout'], indent = '  '): string[] =>
  columnLines(rows, output, indent).flat();

export function columnLines(
  rows: readonly Row[],
  { isTTY, columns: given = 0 }: Shell['stdout'],
  indent = '  ',
): string[][] {
  const whole = given > 0 ? given : USUAL_COLUMNS;
  const widths = rows.map(([name]) => widthOf(name)).filter((width) => width <= LONGEST_NAME);
  const width = Math.max(0, ...widths);
  const gap = indent.length + width + 2;
  if (isTTY !== true) return rows.map(([name, about]) => [`${indent}${padded(name, width)}  ${about}`.trimEnd()]);
  const beside = whole - gap >= ROOM;
  const margin = ' '.repeat(beside ? gap : indent.length + 4);
  return rows.map(([name, about]) => {
    const names = wrap(name, whole - indent.length - 2).map((line, at) => indent + (at === 0 ? '' : '  ') + line);
    const abouts = wrap(about, whole - margin.length);
    if (!beside || widthOf(name) > width) return [...names, ...abouts.map((line) => margin + line)];
    const [first = '', ...rest] = abouts;
    return [`${indent}${padded(name, width)}  ${first}`.trimEnd(), ...rest.map((line) => margin + line)];
  });
}

/** Lines of at most this width, broken between words, and inside of words that are longer than a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((one) => pieces(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function pieces(word: string, width: number): string[] {
  const parts: string[] = [];
  let [part, taken] = ['', 0];
  // Letters are counted one by one: those that take no room would make the part longer and longer.
  for (const c of word) {
    const needed = widthOf(c);
    if (part !== '' && taken + needed > width) {
      parts.push(part);
      [part, taken] = ['', 0];
    }
    part += c;
    taken += needed;
  }
  return part === '' ? parts : [...parts, part];
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Rows of a table whose columns fit their widest cell. */
export function table(rows: readonly (readonly string[])[], indent = '  '): readonly string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, widthOf(cell))),
    [],
  );
  return rows.map((row) => (indent + row.map((cell, at) => padded(cell, widths[at] ?? 0)).join('  ')).trimEnd());
}
