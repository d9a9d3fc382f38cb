/** Validates definitions of parts and servers: members, metadata, icons, cache hints and completers. */
import { defined } from '../jsonrpc/message.ts';
import { scopesFault } from '../model/auth.ts';
import type { Icon, Meta } from '../model/content.ts';
import { metaFault } from '../model/meta.ts';
import type { CacheHints } from '../model/parts.ts';
import type { Completer } from './part.ts';

/** The members that every part can have. */
export interface PartSpec {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
  /** Scopes that a caller needs, in addition to those of the endpoint. Enforced if callers are verified. */
  readonly scopes?: readonly string[];
}

/** The error for `tool()` and `tool('name', run)`. */
export const notObject = 'expected one object';

/** All members of a type, so that the compiler reports a missing one. A string lists what other SDKs call the member. */
export type MemberNames<T> = Readonly<Record<keyof T, 1 | string>>;
export const partMembers: MemberNames<PartSpec> = { title: 1, description: 1, icons: 1, meta: 1, scopes: 1 };

/** Why a part is invalid. Also finds unknown members and a missing handler, for callers without TypeScript. */
export function partFault<T extends PartSpec>(
  spec: T,
  members: MemberNames<T>,
  handler: keyof T & string,
): string | undefined {
  const { meta, icons, scopes } = spec;
  return (
    strayFault(spec, members) ??
    typeFault(spec, 'function', [handler], true) ??
    typeFault(spec, 'function', ['text', 'list']) ??
    typeFault(spec, 'string', texts) ??
    metaFault(meta) ??
    iconFault(icons) ??
    scopesFault(scopes)
  );
}

type PartDescription = Record<'title' | 'description', string | undefined> & {
  readonly icons: readonly Icon[] | undefined;
  readonly _meta: Meta | undefined;
};
/** The metadata in the published definition of every part. */
export const describedBy = ({ title, description, icons, meta: _meta }: PartSpec): PartDescription => ({
  title,
  description,
  icons,
  _meta,
});

/** Members of parts and servers that must be text. */
export const texts: readonly string[] = ['title', 'description', 'name', 'mimeType', 'instructions', 'websiteUrl'];

/** Checks the types of members: one description that is not text makes clients reject a whole list. */
export function typeFault(
  given: object,
  type: 'string' | 'function',
  names: readonly string[],
  isRequired?: true,
): string | undefined {
  for (const name of names) {
    const actual = typeof Reflect.get(given, name);
    if (actual !== type && (isRequired || actual !== 'undefined'))
      return `"${name}" must be ${type === 'string' ? 'text' : 'a function'}, not ${actual}`;
  }
  return undefined;
}

/** Checks icons: clients load them only from https: and data: URLs. */
export function iconFault(icons: readonly Icon[] = []): string | undefined {
  if (!Array.isArray(icons)) return '"icons" must be a list';
  for (const { src, sizes = [], theme = 'light' } of icons as readonly Icon[]) {
    const [rule, value] = !/^(https?:\/\/|data:[^,]*;base64,[a-z\d+/]+=*$)/i.test(src)
      ? ['src begins with https:// or data:image/png;base64,', src]
      : !Array.isArray(sizes) || !sizes.every((size) => size === 'any' || /^\d+x\d+$/i.test(size))
        ? ['sizes are like ["48x48", "any"]', sizes]
        : theme !== 'light' && theme !== 'dark'
          ? ['theme is light or dark', theme]
          : [];
    if (rule) return `an icon's ${rule}, not ${`${JSON.stringify(value)}`.slice(0, 80)}`;
  }
  return undefined;
}

export const cacheFault = (cache: CacheHints | undefined): string | undefined =>
  wholeFault('cache.ttlMs', cache?.ttlMs ?? 0, 0);

export const wholeFault = (name: string, value: number, least: number): string | undefined =>
  Number.isSafeInteger(value) && value >= least
    ? undefined
    : `"${name}" must be a whole number, at least ${least}, not ${value}`;

/** Finds an unknown member of a definition, or a completer for an unknown argument or variable, and suggests a known name. */
export function strayFault(
  given: object | undefined,
  members: Readonly<Record<string, 1 | string>>,
  names: readonly string[] = Object.keys(members),
): string | undefined {
  const stray = Object.keys(given ?? {}).find((name) => !names.includes(name));
  if (stray === undefined) return undefined;
  const meant = names.find((name) => ` ${members[name]} `.includes(` ${stray} `));
  return `unknown member "${stray}"; ${meant ? `use "${meant}"` : `available: ${names.join(', ') || 'none'}`}`;
}

export const completeFault = (complete: object = {}, names: readonly string[]): string | undefined =>
  strayFault(complete, {}, names) ?? typeFault(complete, 'function', names);

/** The completers, by the argument or variable that they complete. */
export const completersOf = (
  given: Readonly<Record<string, Completer<never> | undefined>> = {},
): ReadonlyMap<string, Completer<never>> => new Map(Object.entries(defined(given)));

/** Rejects negative numbers and NaN as times and limits: a negative one would end a task at once, and NaN would never end it. */
export function numberFault(prefix: string, values: object): string | undefined {
  const bad = Object.entries(values).find(([, value]) => typeof value === 'number' && !(value >= 0));
  return bad && `"${prefix}${bad[0]}" must be a number that is not negative, not ${bad[1]}`;
}
