/** Lays out help and lists: two columns, wrapped to the width of the terminal. */
import { widthOf } from '../terminal/wrap-line.ts';
import type { Shell } from './shell.ts';

export type Row = readonly [name: string, about: string];

/** A longer name gets its own line, so that it does not widen the column for all rows. */
const LONGEST_NAME = 32;
/** Minimum width of the second column. On narrower terminals it is printed below the name. */
const MIN_ABOUT = 30;
/** For terminals that do not report a width. */
const USUAL_COLUMNS = 80;
/** Longer lines of prose are hard to read. */
const WIDEST_PROSE = 100;

/** The width at which paragraphs are wrapped. */
export const widthOfText = ({ isTTY, columns: given = 0 }: Shell['stdout']): number =>
  isTTY === true ? Math.min(given > 0 ? given : USUAL_COLUMNS, WIDEST_PROSE) : WIDEST_PROSE;

/** A paragraph whose later lines are indented by `more`. */
export const hanging = (text: string, output: Shell['stdout'], indent = '  ', more = '    '): string[] =>
  wrap(text, widthOfText(output) - more.length).map((line, at) => (at === 0 ? indent : more) + line);

/** Wraps on a terminal; in a pipe, one line per row. The caller passes printable text without line breaks. */
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
  if (isTTY !== true) return rows.map(([name, about]) => [`${indent}${padTo(name, width)}  ${about}`.trimEnd()]);
  const beside = whole - gap >= MIN_ABOUT;
  const margin = ' '.repeat(beside ? gap : indent.length + 4);
  return rows.map(([name, about]) => {
    const names = wrap(name, whole - indent.length - 2).map((line, at) => indent + (at === 0 ? '' : '  ') + line);
    const abouts = wrap(about, whole - margin.length);
    if (!beside || widthOf(name) > width) return [...names, ...abouts.map((line) => margin + line)];
    const [first = '', ...rest] = abouts;
    return [`${indent}${padTo(name, width)}  ${first}`.trimEnd(), ...rest.map((line) => margin + line)];
  });
}

/** Breaks between words, and inside a word only if it is longer than a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).flatMap((one) => breakWord(one, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === '' ? lines : [...lines, line];
}

function breakWord(word: string, width: number): string[] {
  const parts: string[] = [];
  let [part, taken] = ['', 0];
  // Adds up widths per character: measuring the whole part each time is quadratic for combining marks, which have no width.
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

/** Cuts a text to a width. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let [shown, taken] = ['', 0];
  for (const c of text) {
    taken += widthOf(c);
    if (taken > width - 1) break;
    shown += c;
  }
  return `${shown}…`;
}

export const padTo = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Pads each column to its widest cell. */
export function table(rows: readonly (readonly string[])[], indent = '  '): readonly string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, widthOf(cell))),
    [],
  );
  return rows.map((row) => (indent + row.map((cell, at) => padTo(cell, widths[at] ?? 0)).join('  ')).trimEnd());
}
