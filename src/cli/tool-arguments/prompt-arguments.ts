/** The arguments of a prompt, which are text, from what was given on the command line. */
import type { Prompt } from '../../model/parts.ts';
import { badArgument } from '../arguments.ts';
import { suggest } from '../suggest.ts';
import type { RawArguments } from './read-tool-arguments.ts';
import { toTexts } from './to-texts.ts';

/** Throws `MCP_BAD_ARGUMENT`, with what the prompt takes. */
export function promptArguments(
  { name, arguments: declared = [] }: Prompt,
  given: RawArguments,
): Readonly<Record<string, string>> {
  const texts = toTexts(given);
  const names = declared.map((one) => one.name);
  const shape = declared.map((one) => (one.required === true ? `${one.name}=<text>` : `[${one.name}=<text>]`));
  const wrong = (key: string, why: string): Error => badArgument(key, `${why}\n  ${[name, ...shape].join(' ')}`);
  for (const [key, all] of texts) {
    if (!names.includes(key))
      throw wrong(
        key,
        names.length === 0 ? 'the prompt takes no arguments' : `there is no such argument; ${suggest(key, names)}`,
      );
    if (all.length > 1) throw wrong(key, 'it is given twice, and takes one text');
  }
  const missing = declared.find((one) => one.required === true && !texts.has(one.name));
  if (missing !== undefined) {
    const about = missing.description === undefined ? '' : ` (${missing.description})`;
    throw wrong(`Missing argument "${missing.name}"`, `expected a string${about}`);
  }
  return Object.fromEntries([...texts].map(([key, all]) => [key, all.join('')]));
}
