/**
 * What is under way, by its number. Not a Map: one that is filled and emptied all the time outgrows table after table, and
 * V8 keeps everything that an outgrown table held until the next full collection.
 */
interface Numbered {
  readonly id: number;
}

/** A power of two. More than these, or two that end in the same bits, are kept in a Map. */
const SLOTS = 256;

export class ByNumber<T extends Numbered> {
  /** By the last bits of the number. Made when first needed: many conversations never ask anything. */
  #slots: (T | undefined)[] | undefined;
  #others: Map<unknown, T> | undefined;

  /** A number that is in use already is the caller's mistake. */
  add(item: T): void {
    this.#slots ??= new Array<T | undefined>(SLOTS).fill(undefined);
    const at = item.id & (SLOTS - 1);
    if (this.#slots[at] === undefined) this.#slots[at] = item;
    else {
      this.#others ??= new Map();
      this.#others.set(item.id, item);
    }
  }

  /** Whatever is no number of ours finds nothing. */
  get(id: unknown): T | undefined {
    const item = typeof id === 'number' ? this.#slots?.[id & (SLOTS - 1)] : undefined;
    return item?.id === id ? item : this.#others?.get(id);
  }

  /** False when it was not there. */
  delete(item: T): boolean {
    const at = item.id & (SLOTS - 1);
    if (this.#slots?.[at] !== item) return this.#others?.delete(item.id) === true;
    this.#slots[at] = undefined;
    return true;
  }

  /** Everything, taken out, the smallest number first. */
  clear(): T[] {
    const all = [...(this.#slots ?? []), ...(this.#others?.values() ?? [])].filter((item) => item !== undefined);
    this.#slots = undefined;
    this.#others = undefined;
    return all.sort((a, b) => a.id - b.id);
  }
}
