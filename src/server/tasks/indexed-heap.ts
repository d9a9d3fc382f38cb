/** A binary heap whose items know their place: the first is found at once, and any can move or leave in logarithmic time. */
export class IndexedHeap<T> {
  readonly #items: T[] = [];
  /** Next to the items: comparing ranks reads none of the items, which are all over the memory (bench: `task-call`). */
  readonly #ranks: number[] = [];
  readonly #precedes: (a: T, b: T) => boolean;
  readonly #setPlace: (item: T, place: number) => void;

  /** The lowest rank comes first; of two items with the same rank, the one that `precedes` the other. */
  constructor(precedes: (a: T, b: T) => boolean, setPlace: (item: T, place: number) => void) {
    this.#precedes = precedes;
    this.#setPlace = setPlace;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T, rank: number): void {
    this.#rise(item, rank, this.#items.length);
  }

  /** Gives the item at this place another rank. */
  move(place: number, rank: number): void {
    const item = this.#items[place] as T; // the caller was told this place
    if (this.#rise(item, rank, place) === place) this.#sink(item, rank, place);
  }

  delete(place: number): void {
    const last = this.#items.pop() as T; // at least the item at this place is there
    const rank = this.#ranks.pop() as number; // it has a rank
    // The last item belongs near the bottom as a rule. The gap sinks there first: that is one comparison for each level, not two.
    if (place < this.#items.length) this.#rise(last, rank, this.#sinkGap(place));
  }

  /** Items in order, up to this rank; no more than the limit. Nothing else is looked at. */
  leading(highest: number, limit: number): T[] {
    const taken: T[] = [];
    // The next in order is always the best child of one that was taken.
    const open = new IndexedHeap<number>(
      (a, b) => this.#precedes(this.#items[a] as T, this.#items[b] as T), // only places that exist are added
      () => undefined,
    );
    const offer = (place: number): void => {
      const rank = this.#ranks[place];
      if (rank !== undefined && rank <= highest) open.add(place, rank);
    };
    offer(0);
    while (taken.length < limit && open.first !== undefined) {
      const place = open.first;
      open.delete(0);
      taken.push(this.#items[place] as T); // as above
      offer(2 * place + 1);
      offer(2 * place + 2);
    }
    return taken;
  }

  #rise(item: T, rank: number, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!this.#isBefore(item, rank, above)) break;
      this.#copy(above, place);
      place = above;
    }
    this.#put(item, rank, place);
    return place;
  }

  #sink(item: T, rank: number, from: number): void {
    let place = from;
    for (let below = this.#best(place); below !== undefined; below = this.#best(place)) {
      if (this.#isBefore(item, rank, below)) break;
      this.#copy(below, place);
      place = below;
    }
    this.#put(item, rank, place);
  }

  /** Moves a gap to the bottom, and returns its place. */
  #sinkGap(from: number): number {
    let place = from;
    for (let below = this.#best(place); below !== undefined; below = this.#best(place)) {
      this.#copy(below, place);
      place = below;
    }
    return place;
  }

  /** The place of the first of the two items below one. */
  #best(place: number): number | undefined {
    const { length } = this.#items;
    const below = 2 * place + 1;
    if (below + 1 >= length) return below < length ? below : undefined;
    return this.#isBefore(this.#items[below + 1] as T, this.#ranks[below + 1] as number, below) ? below + 1 : below; // both are there
  }

  /** Whether an item with this rank comes before the one at a place where there is one. */
  #isBefore(item: T, rank: number, place: number): boolean {
    const other = this.#ranks[place] as number; // as it says
    return rank < other || (rank === other && this.#precedes(item, this.#items[place] as T));
  }

  #copy(from: number, to: number): void {
    this.#put(this.#items[from] as T, this.#ranks[from] as number, to); // there is an item at this place
  }

  #put(item: T, rank: number, place: number): void {
    this.#items[place] = item;
    this.#ranks[place] = rank;
    this.#setPlace(item, place);
  }
}
