/** What keeps something that an author declares from being published. */
import type { Meta } from '../model/content.ts';
import type { Icon } from '../model/icon.ts';
import { metaFault } from '../model/meta.ts';
import type { CacheHints } from '../model/resource.ts';
import { scopesFault } from '../model/scopes.ts';

/** What every part may have. */
export interface AnyPart {
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
  /** What a caller must be allowed to, besides what the endpoint asks of everybody. Holds wherever callers are verified. */
  readonly scopes?: readonly string[];
}

export const partFault = ({ meta, icons, scopes }: AnyPart): string | undefined =>
  metaFault(meta) ?? iconFault(icons) ?? scopesFault(scopes);

/** Clients load pictures from the web or from the text itself, and from nowhere else. */
export function iconFault(icons: readonly Icon[] | undefined): string | undefined {
  const bad = icons?.find(({ src }) => !/^(https?:\/\/|data:)/i.test(src));
  return bad === undefined ? undefined : `an icon's src begins with https:// or data:, not "${bad.src.slice(0, 80)}"`;
}

export function cacheFault(cache: CacheHints | undefined): string | undefined {
  const ttlMs = cache?.ttlMs ?? 0;
  return Number.isSafeInteger(ttlMs) && ttlMs >= 0
    ? undefined
    : `"cache.ttlMs" must be a whole number of milliseconds, at least 0, not ${ttlMs}`;
}

/** Suggestions are for what is there to be filled in. */
export function completerFault(given: object | undefined, names: readonly string[]): string | undefined {
  const stray = Object.keys(given ?? {}).find((name) => !names.includes(name));
  if (stray === undefined) return undefined;
  return `there is nothing called "${stray}" to complete; there is ${names.join(', ') || 'nothing at all'}`;
}
