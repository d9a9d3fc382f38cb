/** A heap compared with a sorted list, while items come, move and leave. */
import { expect, test } from 'vitest';
import { IndexedHeap } from './indexed-heap.ts';

interface Item {
  rank: number;
  /** Decides between items of one rank. */
  tie: number;
  place: number;
}

/** The same numbers each time. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}

test.each([1, 2, 3, 4, 5])('items come, move and leave in any order, and the first stays the first (%i)', (seed) => {
  const random = randomNumbers(seed);
  const heap = new IndexedHeap<Item>(
    (a, b) => a.tie < b.tie,
    (item, place) => {
      item.place = place;
    },
  );
  const items: Item[] = [];
  for (let step = 0; step < 2_000; step++) {
    const at = random(items.length + 1);
    const item = items[at];
    const deed = random(5);
    if (item === undefined || deed < 2) {
      const added = { rank: random(50), tie: step, place: -1 };
      items.push(added);
      heap.add(added, added.rank);
    } else if (deed === 2) {
      item.rank = random(50);
      heap.move(item.place, item.rank);
    } else {
      items.splice(at, 1);
      heap.delete(item.place);
    }
    const sorted = items.toSorted((a, b) => a.rank - b.rank || a.tie - b.tie);
    expect(heap.first).toBe(sorted[0]);
    expect(new Set(items.map(({ place }) => place)).size).toBe(items.length);
    if (step % 50 !== 0) continue;
    expect(heap.leading(50, items.length)).toEqual(sorted);
    const low = sorted.filter(({ rank }) => rank <= 20);
    expect(heap.leading(20, items.length)).toEqual(low);
    expect(heap.leading(20, 7)).toEqual(low.slice(0, 7));
  }
});
