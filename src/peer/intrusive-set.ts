/** An unordered set whose items store their own index. Not a Set, for the reason that `IdTable` is not a Map. */
interface Placed {
  /** Index in the set; −1 if the item is in none. */
  place: number;
}

export class IntrusiveSet<T extends Placed> {
  readonly #all: T[] = [];

  get all(): readonly T[] {
    return this.#all;
  }

  add(item: T): void {
    item.place = this.#all.push(item) - 1;
  }

  /** Returns false if the item is in no set. Moves the last item into the gap. */
  delete(item: T): boolean {
    const { place } = item;
    if (place === -1) return false;
    item.place = -1;
    const last = this.#all.pop();
    if (last === undefined || last === item) return true;
    this.#all[place] = last;
    last.place = place;
    return true;
  }

  /** Removes and returns all items. */
  clear(): T[] {
    const all = this.#all.splice(0);
    for (const item of all) item.place = -1;
    return all;
  }
}
