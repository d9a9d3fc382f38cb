/** The beginning of a text: on one line, or on some. */
import { printable } from '../../model/printable.ts';

/** As much of a result as is shown while a model works. */
const MAX_WIDTH = 200;

export function shorten(text: string, width: number = MAX_WIDTH): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

const MAX_LINES = 10;

/** The first lines of a text, below each other: a list stays one. */
export function preview(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MAX_LINES).map((line) => shorten(line));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more lines`] : [])].join('\n  ');
}
