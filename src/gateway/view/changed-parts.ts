/** The parts of a view that callers can see otherwise since the list of one upstream changed. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { type ListName, lists } from '../../revisions/decode-lists.ts';
import type { ExposedPart } from '../contract.ts';
import type { ListChange } from '../upstreams/upstream-lists.ts';
import type { GatewayView } from './gateway-view.ts';

/** Those of the upstream itself, and those of others whose names it claims or gave up. */
export function changedParts(view: GatewayView, label: string, change: ListChange): readonly ExposedPart[] {
  const { list, before } = change;
  const { kind } = lists[list];
  const own = partsOf(view, list, { label, items: changedItems(change) });
  if (!view.names.canCollide(kind)) return own;
  const names = new Set(own.map(({ name }) => name));
  const mayClaim = (name: string): boolean =>
    view.names.keysBehind(label, kind, name).some((key) => view.includes(label, list, key));
  // Before its list was known, it could claim anything.
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

/** What is in one of the two lists more often than in the other; all of it where only the order changed. */
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
