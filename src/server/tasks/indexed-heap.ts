/** A binary heap whose items know their place: the first is found at once, and any can move or leave in logarithmic time. */
export class IndexedHeap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;
  readonly #setPlace: (item: T, place: number) => void;

  constructor(isBefore: (a: T, b: T) => boolean, setPlace: (item: T, place: number) => void) {
    this.#isBefore = isBefore;
    this.#setPlace = setPlace;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  add(item: T): void {
    this.#rise(item, this.#items.push(item) - 1);
  }

  /** Called after the rank of the item at this place has changed. */
  moved(place: number): void {
    const item = this.#items[place] as T; // the caller was told this place
    if (this.#rise(item, place) === place) this.#sink(item, place);
  }

  delete(place: number): void {
    const last = this.#items.pop() as T; // at least the item at this place is there
    // The last item belongs near the bottom as a rule. The gap sinks there first: that is one comparison for each level, not two.
    if (place < this.#items.length) this.#rise(last, this.#sinkGap(place));
  }

  /** Items in order, for as long as they satisfy the condition; no more than the limit. Nothing else is looked at. */
  leading(isWanted: (item: T) => boolean, limit: number): T[] {
    const taken: T[] = [];
    // The next in order is always the best child of one that was taken.
    const open = new IndexedHeap<number>(
      (a, b) => this.#isBefore(this.#items[a] as T, this.#items[b] as T), // only places that exist are added
      () => undefined,
    );
    const offer = (place: number): void => {
      const item = this.#items[place];
      if (item !== undefined && isWanted(item)) open.add(place);
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

  #rise(item: T, from: number): number {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = this.#items[above] as T; // there is one above every place but the first
      if (!this.#isBefore(item, other)) break;
      this.#put(other, place);
      place = above;
    }
    this.#put(item, place);
    return place;
  }

  #sink(item: T, from: number): void {
    let place = from;
    for (let below = this.#best(place); below !== undefined; below = this.#best(place)) {
      const other = this.#items[below] as T; // as it says
      if (!this.#isBefore(other, item)) break;
      this.#put(other, place);
      place = below;
    }
    this.#put(item, place);
  }

  /** Moves a gap to the bottom, and returns its place. */
  #sinkGap(from: number): number {
    let place = from;
    for (let below = this.#best(place); below !== undefined; below = this.#best(place)) {
      this.#put(this.#items[below] as T, place); // as it says
      place = below;
    }
    return place;
  }

  /** The place of the first of the two items below one. */
  #best(place: number): number | undefined {
    const { length } = this.#items;
    const below = 2 * place + 1;
    if (below + 1 >= length) return below < length ? below : undefined;
    return this.#isBefore(this.#items[below + 1] as T, this.#items[below] as T) ? below + 1 : below; // both are there
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    this.#setPlace(item, place);
  }
}
