/** Checks options of callers without TypeScript. A misspelled option must not be ignored: `auht` would let every caller in. */
import { badDefinition } from '../errors.ts';
import { isObject } from '../jsonrpc/message.ts';
import { suggest } from './suggest.ts';
import { valueKind } from './value-kind.ts';

/** All option names of a type, so that the compiler reports a missing one. */
export type OptionNames<T> = Readonly<Record<keyof T, unknown>>;

/** Throws if the options are not an object, if a name is unknown, or if a limit or time is not a number from 0. */
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
