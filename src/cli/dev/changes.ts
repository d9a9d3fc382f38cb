/** What is different between two versions of a server. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonical } from '../../model/canonical.ts';
import type { News } from '../../model/news.ts';
import { printable } from '../../model/printable.ts';
import type { Offer } from './wire.ts';

export const kinds = ['tools', 'resources', 'prompts'] as const;

export interface Change {
  readonly kind: (typeof kinds)[number];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Kinds without a difference are left out. */
export function changesBetween(before: Offer, after: Offer): readonly Change[] {
  return kinds.flatMap((kind) => {
    const [was, is] = [byName(before[kind]), byName(after[kind])];
    const added = [...is.keys()].filter((name) => !was.has(name));
    const removed = [...was.keys()].filter((name) => !is.has(name));
    const changed = [...is].filter(([name, text]) => (was.get(name) ?? text) !== text).map(([name]) => name);
    return added.length + removed.length + changed.length === 0 ? [] : [{ kind, added, removed, changed }];
  });
}

export const newsOf = (changes: readonly Change[]): readonly News[] => changes.map(({ kind }) => ({ kind }));

export function changeText({ kind, added, removed, changed }: Change): string {
  const signed = [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `−${name}`),
    ...changed.map((name) => `~${name}`),
  ];
  return printable(`${kind} ${signed.join(' ')}`);
}

function byName(items: readonly JsonObject[]): ReadonlyMap<string, string> {
  return new Map(
    items.map((item) => [String(item['uriTemplate'] ?? item['uri'] ?? item['name']), canonical(item)] as const),
  );
}
