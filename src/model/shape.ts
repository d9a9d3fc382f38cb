/** Validates the params of MCP methods: one table per interface, typed against it, so that a mismatch does not compile. */
import { isObject, type JsonObject } from '../jsonrpc/message.ts';

/** Returns why a value is invalid; undefined if it is valid. T is the type of a valid value. */
export interface Shape<T> {
  (value: unknown, at: string): string | undefined;
  readonly type?: T;
}
interface Optional<T> {
  readonly optional: Shape<T>;
}
/** One check per key of T; a key that is optional in T needs an optional check. */
export type Table<T> = {
  readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? Optional<Exclude<T[K], undefined>> : Shape<T[K]>;
};

const expected =
  (what: string, holds: (value: unknown) => boolean): Shape<never> =>
  (value, at) =>
    holds(value) ? undefined : `"${at}" must be ${what}`;

export const string: Shape<string> = expected('a string', (v) => typeof v === 'string');
export const boolean: Shape<boolean> = expected('a boolean', (v) => typeof v === 'boolean');
export const number: Shape<number> = expected('a number', (v) => typeof v === 'number');
export const object: Shape<JsonObject> = expected('an object', isObject);
export const strings: Shape<Readonly<Record<string, string>>> = expected(
  'an object of strings',
  (v) => isObject(v) && Object.values(v).every((one) => typeof one === 'string'),
);
export const stringList: Shape<readonly string[]> = expected(
  'a list of strings',
  (v) => Array.isArray(v) && v.every((one) => typeof one === 'string'),
);
export const optional = <T>(check: Shape<T>): Optional<T> => ({ optional: check });

export const oneOf = <T extends string>(...words: readonly T[]): Shape<T> =>
  expected(`one of ${words.join(', ')}`, (v) => words.includes(v as T)); // `includes` only compares

/** Either of two shapes. If both fail, the fault of the second one is reported. */
export const either =
  <A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> =>
  (value, at) =>
    first(value, at) === undefined ? undefined : second(value, at);

/** An object with these members. Other members are ignored. */
export function shape<T>(table: Table<T>): Shape<T> {
  // The compiler has checked the table against T. From here on, only the common type of its checks matters.
  const rows = Object.entries(table) as [string, Shape<unknown> | Optional<unknown>][];
  return (value, at) => {
    if (!isObject(value)) return `"${at}" must be an object`;
    for (const [key, check] of rows) {
      const member = value[key];
      if (typeof check !== 'function' && member === undefined) continue;
      const shape = typeof check === 'function' ? check : check.optional;
      // The path is built only for an invalid member.
      if (shape(member, key) !== undefined) return shape(member, `${at}.${key}`);
    }
    return undefined;
  };
}
