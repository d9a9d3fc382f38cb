/** Truncates text of servers and models for display. */
import { printable } from '../../model/printable.ts';
import { cut } from '../columns.ts';

/** Default width of a shortened line. */
const MAX_WIDTH = 200;

export const shorten = (text: string, width: number = MAX_WIDTH): string =>
  cut(printable(text.replace(/\s+/g, ' ').trim()), width);

const MAX_LINES = 10;

/** The first lines of a text, each shortened. */
export function preview(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const shown = lines.slice(0, MAX_LINES).map((line) => shorten(line));
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`… and ${more} more lines`] : [])].join('\n  ');
}
