/** A binary heap whose items know their place: the first is found at once, and any can move or leave in logarithmic time. */
export class IndexedHeap<T> {
  readonly #items: T[] = [];
  /** Next to the items: comparing ranks reads none of the items, which are all over the memory (bench: `task-call`). */
  readonly #ranks: number[] = [];
  readonly #setPlace: (item: T, place: number) => void;

  constructor(setPlace: (item: T, place: number) => void) {
    this.#setPlace = setPlace;
  }

  /** The item with the lowest rank. */
  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T, rank: number): void {
    this.#rise(item, rank, this.#items.length);
  }

  /** Gives the item at this place another rank. */
  move(place: number, rank: number): void {
    const item = this.#items[place] as T; // the caller was told this place
    // The only one has nowhere to go: most servers have one caller, or none that they can tell apart.
    if (this.#items.length === 1) this.#ranks[0] = rank;
    else if (this.#rise(item, rank, place) === place) this.#sink(item, rank, place);
  }

  delete(place: number): void {
    const last = this.#items.pop() as T; // at least the item at this place is there
    const rank = this.#ranks.pop() as number; // it has a rank
    if (place === this.#items.length) return;
    if (this.#rise(last, rank, place) === place) this.#sink(last, rank, place);
  }

  #rise(item: T, rank: number, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (rank >= this.#rankAt(above)) break;
      this.#copy(above, place);
      place = above;
    }
    this.#put(item, rank, place);
    return place;
  }

  #sink(item: T, rank: number, from: number): void {
    let place = from;
    for (let below = this.#best(place); rank > this.#rankAt(below); below = this.#best(place)) {
      this.#copy(below, place);
      place = below;
    }
    this.#put(item, rank, place);
  }

  /** The place of the first of the two items below one. */
  #best(place: number): number {
    const below = 2 * place + 1;
    return this.#rankAt(below + 1) < this.#rankAt(below) ? below + 1 : below;
  }

  /** Where there is no item, none goes. */
  #rankAt(place: number): number {
    return this.#ranks[place] ?? Number.POSITIVE_INFINITY;
  }

  #copy(from: number, to: number): void {
    this.#put(this.#items[from] as T, this.#rankAt(from), to); // there is an item at this place
  }

  #put(item: T, rank: number, place: number): void {
    this.#items[place] = item;
    this.#ranks[place] = rank;
    this.#setPlace(item, place);
  }
}
