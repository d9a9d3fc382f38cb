/**
 * What is under way, by its id. Not a Map: one that is filled and emptied all the time outgrows table after table, and V8
 * keeps everything that an outgrown table held until the next full collection.
 */
import type { Id } from '../jsonrpc/message.ts';

/** A power of two. More than these, two that end in the same bits, and ids that are text are kept in a Map. */
const SLOTS = 256;

export class IdTable<T extends { readonly id: Id }> {
  /** By the last bits of the number. Made when first needed: many conversations never ask anything. */
  #slots: (T | undefined)[] | undefined;
  #others: Map<unknown, T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** An id that is in use already is the caller's mistake. */
  add(item: T): void {
    const { id } = item;
    this.#size++;
    if (typeof id === 'number') {
      this.#slots ??= new Array<T | undefined>(SLOTS).fill(undefined);
      const at = id & (SLOTS - 1);
      if (this.#slots[at] === undefined) {
        this.#slots[at] = item;
        return;
      }
    }
    this.#others ??= new Map();
    this.#others.set(id, item);
  }

  /** Whatever is no id of ours finds nothing. */
  get(id: unknown): T | undefined {
    const item = typeof id === 'number' ? this.#slots?.[id & (SLOTS - 1)] : undefined;
    return item?.id === id ? item : this.#others?.get(id);
  }

  /** False when it was not there. */
  delete(item: T): boolean {
    const { id } = item;
    const at = typeof id === 'number' ? id & (SLOTS - 1) : -1;
    if (this.#slots?.[at] === item) this.#slots[at] = undefined;
    else if (this.#others?.get(id) === item) this.#others.delete(id);
    else return false;
    this.#size--;
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
    this.#size = 0;
    return all;
  }
}
