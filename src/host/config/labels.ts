/** Validates and creates server labels. Only ASCII, so that no label is a homoglyph of another. */
import { badDefinition } from '../../errors.ts';

const MAX_LENGTH = 64;
/** Bounds the work for a long name. */
const MAX_NAME = 1_024;
const pattern = /^[a-z0-9_-]{1,64}$/;

/** Throws for an invalid label. A label has no dot, because names of tools are `label.name`. */
export function checkLabel(label: string): void {
  if (pattern.test(label)) return;
  const why = `a label has 1 to ${MAX_LENGTH} of the characters a-z 0-9 - _`;
  throw badDefinition(`The label ${JSON.stringify(label.slice(0, 200))}`, why);
}

/** Derives a unique label from the arbitrary name of a server in a file. */
export function labelFor(name: string, taken: { has(label: string): boolean }): string {
  // Truncates first: on a long run of hyphens, /-+$/ takes quadratic time (ReDoS).
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
