import { describe, expect, test } from 'vitest';
import { thousandTools } from '../../../test/fixtures/host/thousand-tools.ts';
import { questions } from '../../../test/fixtures/host/tool-questions.ts';
import { tool } from '../../../test/support/stocked.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Tool } from '../../model/parts.ts';
import type { CatalogueItem } from './item.ts';
import { readItem } from './read-item.ts';
import { SearchIndex } from './search.ts';

const itemsOf = (label: string, definitions: readonly JsonObject[]): CatalogueItem[] =>
  definitions.flatMap((definition) => {
    const read = readItem('tool', label, definition as unknown as Tool); // as a server would list it
    return 'rejected' in read ? [] : [read];
  });

describe('among a thousand tools', () => {
  const items = [...thousandTools].flatMap(([label, tools]) => itemsOf(label, tools));
  const index = new SearchIndex(items);
  const ranks = questions.map(({ query, tools }) => {
    const found = index.search(query).map(({ name }) => name);
    const places = tools.map((name) => found.indexOf(name)).filter((place) => place >= 0);
    return Math.min(...places);
  });
  const recall = (at: number): number => ranks.filter((rank) => rank < at).length / ranks.length;

  test('the test data has unique names and enough queries', () => {
    expect(new Set(items.map(({ name }) => name)).size).toBe(1_000);
    expect(questions.length).toBeGreaterThanOrEqual(120);
  });

  // Measured: 0.47, 0.83, 0.88 and 0.92. BM25 without synonyms: 0.35, 0.81, 0.88 and 0.92.
  test.each([
    [1, 0.45],
    [5, 0.82],
    [10, 0.88],
    [20, 0.91],
  ])('a search finds the right tool among the first %i often enough', (at, least) => {
    expect(recall(at)).toBeGreaterThanOrEqual(least);
  });
});

describe('a search', () => {
  const index = new SearchIndex(
    itemsOf('shop', [
      tool('getOrderById', { description: 'Returns an order' }),
      tool('refund_order', {
        description: 'Pays back',
        inputSchema: { type: 'object', properties: { customerName: {} } },
      }),
      tool('ship', { title: 'Send a parcel', description: 'Ships what was bought' }),
      tool('shipment', { description: 'About a parcel' }),
      tool('__proto__', { description: 'Odd constructor' }),
    ]),
  );
  const found = (query: string): string[] => index.search(query).map(({ key }) => key);

  test('splits names into words and matches stems', () => {
    expect(found('orders by id')[0]).toBe('getOrderById');
    expect(found('refunding')).toEqual(['refund_order']);
  });

  test('matches titles and names of parameters', () => {
    expect(found('parcels')).toEqual(['ship', 'shipment']);
    expect(found('customer')).toEqual(['refund_order']);
  });

  test('finds nothing for an empty query, and no names of Object.prototype', () => {
    expect(found('')).toEqual([]);
    expect(found('the of and')).toEqual([]);
    expect(found('toString hasOwnProperty')).toEqual([]);
    expect(found('proto')).toEqual(['__proto__']);
  });

  test('orders items with equal scores by name', () => {
    const twins = new SearchIndex(
      itemsOf('a', [tool('z', { description: 'twins' }), tool('b', { description: 'twins' })]),
    );
    expect(twins.search('twin').map(({ name }) => name)).toEqual(['a.b', 'a.z']);
  });

  test('of a very long query ends', () => {
    expect(found('order '.repeat(100_000))).toContain('getOrderById');
  });
});
