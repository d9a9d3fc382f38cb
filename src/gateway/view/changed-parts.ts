/** Finds the parts of a view that may look different after an upstream's list changed. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type ListName, lists } from '../../revisions/decode-lists.ts';
import type { ExposedPart } from '../contract.ts';
import type { ListChange } from '../upstreams/upstream-lists.ts';
import type { GatewayView } from './gateway-view.ts';

/** Parts of the upstream itself, and parts of others whose names it now claims or no longer claims. */
export function changedParts(view: GatewayView, label: string, change: ListChange): readonly ExposedPart[] {
  const { list, before } = change;
  const { kind } = lists[list];
  const own = partsOf(view, list, { label, items: changedItems(change) });
  if (!view.names.canCollide(kind)) return own;
  const names = new Set(own.map(({ name }) => name));
  const mayClaim = (name: string): boolean =>
    view.names.keysBehind(label, kind, name).some((key) => view.includes(label, list, key));
  // Until its list was known, it could claim any name.
  const isFreed = before === undefined ? mayClaim : (name: string): boolean => names.has(name);
  const others = [...view.members].flatMap(([other, { upstream }]) =>
    other === label ? [] : partsOf(view, list, { label: other, items: upstream.lists.allItems(list) }),
  );
  return [...own, ...others.filter(({ name }) => isFreed(name))];
}

interface UpstreamItems {
  readonly label: string;
  readonly items: Iterable<JsonObject>;
}

function partsOf(view: GatewayView, list: ListName, { label, items }: UpstreamItems): readonly ExposedPart[] {
  const { kind, key: keyMember } = lists[list];
  return [...items].flatMap((definition) => {
    const key = String(definition[keyMember]);
    return view.includes(label, list, key)
      ? [{ label, kind, key, name: view.names.nameOf(label, kind, key), definition }]
      : [];
  });
}

/** The items that were added or removed; all items if only the order changed. */
function changedItems({ before = [], after }: ListChange): readonly JsonObject[] {
  const counts = new Map<string, number>();
  const count = (items: readonly JsonObject[], by: number): void => {
    for (const item of items) counts.set(JSON.stringify(item), (counts.get(JSON.stringify(item)) ?? 0) + by);
  };
  count(before, -1);
  count(after, 1);
  const changed = [...before, ...after].filter((item) => counts.get(JSON.stringify(item)) !== 0);
  return changed.length === 0 ? after : changed;
}
