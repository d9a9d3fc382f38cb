/** Caches encoded lists for all callers who see the same parts in the same revision. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { PartTable } from './part-table.ts';

/** Per table: revisions multiplied by the different sets of visible parts. */
const MAX_WRITTEN = 64;

export class WrittenLists {
  /** Weak, so that lists are freed together with their table. */
  readonly #written: WeakMap<PartTable, Map<string, JsonObject>> = new WeakMap();

  get(table: PartTable, key: string, make: () => JsonObject): JsonObject {
    let known = this.#written.get(table);
    if (known === undefined) {
      known = new Map();
      this.#written.set(table, known);
    }
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make();
    setNewest(known, key, made, MAX_WRITTEN);
    return made;
  }
}
