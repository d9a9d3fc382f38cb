/**
 * A table of items by id. Not a Map: V8 rehashes a Map that is constantly filled and emptied, and retains the items of each
 * old hash table until the next full garbage collection.
 */
import type { Id } from '../jsonrpc/message.ts';

export class IdTable<T extends { readonly id: Id }> {
  /** Indexed by the low bits of a numeric id. Allocated on first use: many conversations never send a request. */
  #slots: (T | undefined)[] | undefined;
  #others: Map<unknown, T> | undefined;
  readonly #mask: number;

  /** `slots` must be a power of two. String ids, and numeric ids whose slot is taken, go to a Map. */
  constructor(slots = 256) {
    this.#mask = slots - 1;
  }

  /** Returns false if the id is in use. */
  add(item: T): boolean {
    const { id } = item;
    if (this.#others?.has(id) === true) return false;
    if (typeof id === 'number') {
      this.#slots ??= new Array<T | undefined>(this.#mask + 1).fill(undefined);
      const at = id & this.#mask;
      const held = this.#slots[at];
      if (held === undefined) {
        this.#slots[at] = item;
        return true;
      }
      if (held.id === id) return false;
    }
    this.#others ??= new Map();
    this.#others.set(id, item);
    return true;
  }

  /** Accepts any value; undefined if it is not the id of an item. */
  get(id: unknown): T | undefined {
    const item = typeof id === 'number' ? this.#slots?.[id & this.#mask] : undefined;
    return item?.id === id ? item : this.#others?.get(id);
  }

  /** Returns false if the item is not in the table. */
  delete(item: T): boolean {
    const { id } = item;
    const at = typeof id === 'number' ? id & this.#mask : -1;
    if (this.#slots?.[at] === item) this.#slots[at] = undefined;
    else if (this.#others?.get(id) === item) this.#others.delete(id);
    else return false;
    return true;
  }

  all(): T[] {
    return [...(this.#slots ?? []), ...(this.#others?.values() ?? [])].filter((item) => item !== undefined);
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const all = this.all();
    this.#slots = undefined;
    this.#others = undefined;
    return all;
  }
}
