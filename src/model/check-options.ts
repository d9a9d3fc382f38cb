/** Options of programs that no compiler has checked: one that is misspelt must not be ignored, or `auht` would let every caller in. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { suggest } from './suggest.ts';
import { valueKind } from './value-kind.ts';

/** Every option of a type by its name, so that the compiler finds one that is left out. */
export type OptionNames<T> = Readonly<Record<keyof T, unknown>>;

/** Throws for what is not an object, for a name that is unknown, and for a limit or a time that is not a number. */
export function checkOptions<T>(what: string, options: T, names: OptionNames<T>): void {
  if (!isObject(options)) throw badDefinition(what, `the options must be an object, not ${valueKind(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(names, name))
      throw badDefinition(what, `there is no option "${name}"; ${suggest(name, Object.keys(names))}`);
    const isNumber = typeof value === 'number' && value >= 0;
    if (value !== undefined && /^max[A-Z]|Ms$/.test(name) && !isNumber)
      throw badDefinition(what, `"${name}" must be a number that is not negative, not ${valueKind(value)}`);
  }
}
