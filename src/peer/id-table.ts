/**
 * A table of items by their id. Not a Map: one that is filled and emptied all the time outgrows table after table, and V8
 * keeps everything that an outgrown table held until the next full collection.
 */
import type { Id } from '../jsonrpc/message.ts';

export class IdTable<T extends { readonly id: Id }> {
  /** By the last bits of the number. Made when first needed: many conversations never ask anything. */
  #slots: (T | undefined)[] | undefined;
  #others: Map<unknown, T> | undefined;
  readonly #mask: number;

  /** `slots` is a power of two. More than these, two that end in the same bits, and ids that are text are kept in a Map. */
  constructor(slots = 256) {
    this.#mask = slots - 1;
  }

  /** False when its id is in use. */
  add(item: T): boolean {
    const { id } = item;
    const isInOthers = this.#others?.has(id) === true;
    if (typeof id === 'number' && !isInOthers) {
      this.#slots ??= new Array<T | undefined>(this.#mask + 1).fill(undefined);
      const at = id & this.#mask;
      const held = this.#slots[at];
      if (held === undefined) {
        this.#slots[at] = item;
        return true;
      }
      if (held.id === id) return false;
    }
    if (isInOthers) return false;
    this.#others ??= new Map();
    this.#others.set(id, item);
    return true;
  }

  /** Undefined for everything that is not the id of an item. */
  get(id: unknown): T | undefined {
    const item = typeof id === 'number' ? this.#slots?.[id & this.#mask] : undefined;
    return item?.id === id ? item : this.#others?.get(id);
  }

  /** False when it was not there. */
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

  /** Everything, taken out. */
  clear(): T[] {
    const all = this.all();
    this.#slots = undefined;
    this.#others = undefined;
    return all;
  }
}
