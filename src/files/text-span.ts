/** Finds and replaces spans and lines of a text. */

export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

export const splice = (text: string, { start, end }: TextSpan, by: string): string =>
  text.slice(0, start) + by + text.slice(end);

export const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

export const lineStartAt = (text: string, offset: number): number => text.lastIndexOf('\n', offset - 1) + 1;

/** The offset of a line, which is counted from 1. */
export const lineOffset = (text: string, line: number): number =>
  text.split('\n', line - 1).reduce((offset, { length }) => offset + length + 1, 0);

/** The offset before the line break. */
export function lineEndAt(text: string, offset: number): number {
  const end = text.slice(offset).search(/\r?\n/);
  return end === -1 ? text.length : offset + end;
}

/** Extends the span to whole lines with their line break. If the last line has none, includes the line break before the span. */
export function lineSpan(text: string, { start, end }: TextSpan): TextSpan {
  const [from, to] = [lineStartAt(text, start), lineEndAt(text, end)];
  const newline = /^\r?\n/.exec(text.slice(to))?.[0] ?? '';
  const before = newline === '' ? (/\r?\n$/.exec(text.slice(0, from))?.[0] ?? '') : '';
  return { start: from - before.length, end: to + newline.length };
}
