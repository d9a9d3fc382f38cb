/** A heap compared with a sorted list, while items come, move and leave. */
import { expect, test } from 'vitest';
import { IndexedHeap } from './indexed-heap.ts';

interface Item {
  rank: number;
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
  const heap = new IndexedHeap<Item>((item, place) => {
    item.place = place;
  });
  const items: Item[] = [];
  // Of each step: the rank of the first item, and how many places there are.
  const found: unknown[] = [];
  const wanted: unknown[] = [];
  for (let step = 0; step < 2_000; step++) {
    const at = random(items.length + 1);
    const item = items[at];
    const deed = random(5);
    if (item === undefined || deed < 2) {
      const added = { rank: random(50), place: -1 };
      items.push(added);
      heap.add(added, added.rank);
    } else if (deed === 2) {
      item.rank = random(50);
      heap.move(item.place, item.rank);
    } else {
      items.splice(at, 1);
      heap.delete(item.place);
    }
    found.push([heap.first?.rank, new Set(items.map(({ place }) => place)).size]);
    wanted.push([items.toSorted((a, b) => a.rank - b.rank)[0]?.rank, items.length]);
  }
  expect(found).toEqual(wanted);
});
