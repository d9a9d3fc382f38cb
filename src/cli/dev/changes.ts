/** Differences between the lists of two versions of a server. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { Change } from '../../model/change.ts';
import { printable } from '../../model/printable.ts';
import type { VersionOffer } from './wire.ts';

export const listKinds = ['tools', 'resources', 'prompts'] as const;

export interface OfferChange {
  readonly kind: (typeof listKinds)[number];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** One entry for each kind that differs. */
export function changesBetween(before: VersionOffer, after: VersionOffer): readonly OfferChange[] {
  return listKinds.flatMap((kind) => changesIn(kind, before[kind], after[kind]) ?? []);
}

/** The difference of one list; undefined if there is none. */
export function changesIn(
  kind: OfferChange['kind'],
  before: readonly JsonObject[],
  after: readonly JsonObject[],
): OfferChange | undefined {
  const [was, is] = [byName(before), byName(after)];
  const added = [...is.keys()].filter((name) => !was.has(name));
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const changed = [...is].filter(([name, text]) => (was.get(name) ?? text) !== text).map(([name]) => name);
  return added.length + removed.length + changed.length === 0 ? undefined : { kind, added, removed, changed };
}

export const listChanges = (changes: readonly OfferChange[]): readonly Change[] =>
  changes.map(({ kind }) => ({ kind }));

export const changeText = (change: OfferChange): string => `${change.kind} ${namesIn(change)}`;

/** `+added −removed ~changed` */
export function namesIn({ added, removed, changed }: OfferChange): string {
  const signed = [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `−${name}`),
    ...changed.map((name) => `~${name}`),
  ];
  return printable(signed.join(' '));
}

function byName(items: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(
    items.map((item) => [String(item['uriTemplate'] ?? item['uri'] ?? item['name']), canonicalJson(item)] as const),
  );
}
