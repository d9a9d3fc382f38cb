/** Truncates text of servers and models for display. */
import { printable } from '../../model/printable.ts';

/** Default width of a shortened line. */
const MAX_WIDTH = 200;

export function shorten(text: string, width: number = MAX_WIDTH): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}

const MAX_LINES = 10;

/** The first lines of a text, each shortened. */
export function preview(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MAX_LINES).map((line) => shorten(line));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more lines`] : [])].join('\n  ');
}
