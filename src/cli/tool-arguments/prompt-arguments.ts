/** The arguments of a prompt, which are text, from what was given on the command line. */
import type { Prompt } from '../../model/parts.ts';
import { suggest } from '../../model/suggest.ts';
import { ArgumentFaults } from './argument-faults.ts';
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
  const faults = new ArgumentFaults();
  for (const [key, all] of texts) {
    if (!names.includes(key))
      faults.add(
        key,
        names.length === 0 ? 'the prompt takes no arguments' : `there is no such argument; ${suggest(key, names)}`,
      );
    if (all.length > 1) faults.add(key, 'it is given twice, and takes one text');
  }
  for (const { name: missing, description } of declared.filter((one) => one.required === true && !texts.has(one.name)))
    faults.add(
      `Missing argument "${missing}"`,
      `expected a string${description === undefined ? '' : ` (${description})`}`,
    );
  faults.throwIfAny([name, ...shape].join(' '));
  return Object.fromEntries([...texts].map(([key, all]) => [key, all.join('')]));
}
