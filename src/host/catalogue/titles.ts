/** What people read instead of a name. */
import { isObject } from '../../jsonrpc/message.ts';
import { escapeUnprintable } from '../text/invisible.ts';

const MAX_TITLE = 128;

/** The title, the one among the annotations, or the name: on one line, with everything in it to be seen. */
export function titleOf({ title, annotations, name }: Titled): string {
  const hint = isObject(annotations) ? annotations['title'] : undefined;
  const chosen = [title, hint, name].find((one) => typeof one === 'string' && one.trim() !== '');
  const line = escapeUnprintable(String(chosen ?? ''))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}

interface Titled {
  readonly title?: unknown;
  readonly annotations?: unknown;
  readonly name?: unknown;
}
