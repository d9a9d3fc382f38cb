/** Why a definition is rejected: metadata, icons, cache hints and completers. */
import { scopesFault } from '../model/auth.ts';
import type { Icon, Meta } from '../model/content.ts';
import { metaFault } from '../model/meta.ts';
import type { CacheHints } from '../model/parts.ts';
import type { Completer } from './part.ts';

/** What every part may have. */
export interface PartSpec {
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
  /** Scopes that a caller needs, in addition to those of the endpoint. Enforced where callers are verified. */
  readonly scopes?: readonly string[];
}

/** Why `tool()` and `tool('name', run)` are rejected. */
export const notObject = 'expected one object';

/** Every member of a type, so that the compiler finds one that is left out, and what other SDKs call it. */
export type MemberNames<T> = Readonly<Record<keyof T, 1 | string>>;
export const partMembers: MemberNames<PartSpec> = { title: 1, description: 1, icons: 1, meta: 1, scopes: 1 };

/** Also for callers without the compiler: members that are not known, and a handler that is missing. */
export function partFault<T extends PartSpec>(
  spec: T,
  members: MemberNames<T>,
  handler: keyof T & string,
): string | undefined {
  const { meta, icons, scopes } = spec;
  return (
    strayFault(spec, members) ??
    (typeof spec[handler] === 'function' ? undefined : `"${handler}" must be a function`) ??
    metaFault(meta) ??
    iconFault(icons) ??
    scopesFault(scopes)
  );
}

type PartDescription = Record<'title' | 'description', string | undefined> & {
  readonly icons: readonly Icon[] | undefined;
  readonly _meta: Meta | undefined;
};
/** What the published definitions of all parts have in common. */
export const describedBy = ({ title, description, icons, meta: _meta }: PartSpec): PartDescription => ({
  title,
  description,
  icons,
  _meta,
});

/** Clients load pictures from https: and data: URLs only. */
export function iconFault(icons: readonly Icon[] | undefined): string | undefined {
  for (const { src, sizes = [], theme = 'light' } of icons ?? []) {
    const begins = src.slice(0, 80);
    if (!/^(https?:\/\/|data:)/i.test(src)) return `an icon's src begins with https:// or data:, not "${begins}"`;
    if (/^data:/i.test(src) && !/^data:[^,]*;base64,[a-z\d+/]+=*$/i.test(src))
      return `an icon's data: URL holds base64 (data:image/png;base64,…), not "${begins}"`;
    if (!Array.isArray(sizes) || !sizes.every((size) => size === 'any' || /^\d+x\d+$/i.test(size)))
      return `an icon's sizes are a list of texts such as "48x48" or "any", not ${JSON.stringify(sizes)}`;
    if (theme !== 'light' && theme !== 'dark') return `an icon's theme is light or dark, not ${JSON.stringify(theme)}`;
  }
  return undefined;
}

export function cacheFault(cache: CacheHints | undefined): string | undefined {
  const ttlMs = cache?.ttlMs ?? 0;
  return Number.isSafeInteger(ttlMs) && ttlMs >= 0
    ? undefined
    : `"cache.ttlMs" must be a whole number of milliseconds, at least 0, not ${ttlMs}`;
}

/** Members of a definition, and completers of arguments or variables, have names that exist. */
export function strayFault(
  given: object | undefined,
  members: Readonly<Record<string, 1 | string>>,
  names: readonly string[] = Object.keys(members),
): string | undefined {
  const stray = Object.keys(given ?? {}).find((name) => !names.includes(name));
  if (stray === undefined) return undefined;
  const meant = names.find((name) => ` ${members[name]} `.includes(` ${stray} `));
  return `there is no "${stray}"; ${meant ? `use "${meant}"` : `available: ${names.join(', ') || 'none'}`}`;
}

/** The completers that are given, by the name of what they complete. */
export const completersOf = (
  given: Readonly<Record<string, Completer | undefined>> = {},
): ReadonlyMap<string, Completer> =>
  new Map(Object.entries(given).flatMap(([name, completer]) => (completer === undefined ? [] : [[name, completer]])));

/** Times and limits: a negative one would end a task at once, and NaN never. */
export function numberFault(member: string, values: object): string | undefined {
  const bad = Object.entries(values).find(([, value]) => typeof value === 'number' && !(value >= 0));
  return bad && `"${member}.${bad[0]}" must be a number that is not negative, not ${bad[1]}`;
}
