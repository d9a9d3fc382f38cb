/** A set in no order. Not a Set, for the reason for which `IdTable` is not a Map. */
interface Placed {
  /** Its index in the set; −1 when it is in none. */
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

  /** False when it was not there. The last one takes its place. */
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

  /** Everything, taken out. */
  clear(): T[] {
    const all = this.#all.splice(0);
    for (const item of all) item.place = -1;
    return all;
  }
}
