/** The labels of servers: short, and of letters that do not look like others. */
import { badDefinition } from '../../errors.ts';

const MAX_LENGTH = 64;
/** More of a name is not looked at. */
const MAX_NAME = 1_024;
const pattern = /^[a-z0-9_-]{1,64}$/;

/** Names of tools are written behind the label and a dot, so a label has none. */
export function checkLabel(label: string): void {
  if (pattern.test(label)) return;
  const why = `a label has 1 to ${MAX_LENGTH} of the characters a-z 0-9 - _`;
  throw badDefinition(`The label ${JSON.stringify(label.slice(0, 200))}`, why);
}

/** A label for a server that can have any name in its file. No other server has it. */
export function labelFor(name: string, taken: { has(label: string): boolean }): string {
  // A file can have any name in it: the end of a long row of hyphens takes the square of its length to find.
  const plain = name.slice(0, MAX_NAME).normalize('NFKC').toLowerCase();
  const wanted =
    plain
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, MAX_LENGTH) || 'server';
  let label = wanted;
  for (let n = 2; taken.has(label); n++) label = `${wanted.slice(0, MAX_LENGTH - 1 - String(n).length)}-${n}`;
  return label;
}
