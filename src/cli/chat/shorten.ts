/** The beginning of a text, on one line. */
import { printable } from '../../model/printable.ts';

/** As much of a result as is shown while a model works. */
const MAX_WIDTH = 200;

export function shorten(text: string, width: number = MAX_WIDTH): string {
  const line = printable(text.replace(/\s+/g, ' ').trim());
  return line.length <= width ? line : `${line.slice(0, width - 1)}…`;
}
