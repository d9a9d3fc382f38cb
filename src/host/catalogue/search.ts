/** Full-text search in the catalogue: BM25F (Robertson and Zaragoza) over names, titles, descriptions and parameter names. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { splitWords, stem, stopwords } from '../text/words.ts';
import type { CatalogueItem } from './item.ts';

/** The BM25 parameters: term frequency saturation (k1) and length normalization (b). */
const K1 = 1.2;
const B = 0.5;
const weights = { name: 4, title: 2, description: 1, parameters: 1 } as const;
/** Indexed length of a description. */
const MAX_TEXT = 4_096;
const MAX_QUERY_WORDS = 64;
/** Scores are rounded to 1 / SCORE_STEPS. */
const SCORE_STEPS = 1e6;
/** The weight of a synonym relative to the word in the query. */
const SYNONYM = 0.35;

/** The posting list of a word: item ids, and the word's strength in each item. */
interface Posting {
  readonly ids: number[];
  readonly strengths: number[];
}

export class SearchIndex<I extends CatalogueItem> {
  readonly #items: readonly I[];
  /** The inverted index. */
  readonly #postings: Map<string, Posting> = new Map();

  constructor(items: readonly I[]) {
    this.#items = items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const lengths = this.#items.map((item, id) => this.#add(id, item));
    const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, items.length);
    for (const { ids, strengths } of this.#postings.values())
      for (const [at, id] of ids.entries()) {
        const weight = strengths[at] ?? 0;
        strengths[at] = (weight * (K1 + 1)) / (weight + K1 * (1 - B + (B * (lengths[id] ?? 0)) / meanLength));
      }
  }

  /** Returns items with any of the words, ordered by score, then by name. */
  search(query: string): readonly I[] {
    const scores = new Map<number, number>();
    for (const [word, share] of queryWords(query)) {
      const found = this.#postings.get(word);
      if (found === undefined) continue;
      const { ids, strengths } = found;
      const rarity = share * Math.log(1 + (this.#items.length - ids.length + 0.5) / (ids.length + 0.5));
      for (let at = 0; at < ids.length; at++) {
        const id = ids[at] as number; // in range
        scores.set(id, (scores.get(id) ?? 0) + rarity * (strengths[at] as number)); // same length as ids
      }
    }
    return this.#rank(scores);
  }

  /** Sorts by packing score and index into one number per item: a common word matches most items, and sorting numbers is fast. */
  #rank(scores: ReadonlyMap<number, number>): readonly I[] {
    const places = this.#items.length;
    const keys = new Float64Array(scores.size);
    let count = 0;
    for (const [id, score] of scores) keys[count++] = Math.round(score * SCORE_STEPS) * places + (places - 1 - id);
    keys.sort();
    const items: I[] = [];
    while (count > 0) items.push(this.#items[places - 1 - ((keys[--count] as number) % places)] as I); // both in range
    return items;
  }

  /** Indexes the words of an item, and returns its weighted length. */
  #add(id: number, item: I): number {
    let length = 0;
    for (const [text, weight] of fieldsOf(item))
      for (const word of terms(text)) {
        const found = this.#postings.get(word) ?? { ids: [], strengths: [] };
        this.#postings.set(word, found);
        const last = found.ids.length - 1;
        if (found.ids[last] === id) found.strengths[last] = (found.strengths[last] ?? 0) + weight;
        else {
          found.ids.push(id);
          found.strengths.push(weight);
        }
        length += weight;
      }
    return length;
  }
}

function fieldsOf({ name, title, kind, definition }: CatalogueItem): readonly (readonly [string, number])[] {
  const { description = '' } = definition as { description?: unknown }; // all kinds have this optional member
  return [
    [name, weights.name],
    [title === name ? '' : title, weights.title],
    [String(description).slice(0, MAX_TEXT), weights.description],
    [parametersOf(kind, definition as unknown as JsonObject).join(' '), weights.parameters], // definitions are JSON
  ];
}

function parametersOf(kind: CatalogueItem['kind'], { inputSchema, arguments: args }: JsonObject): string[] {
  if (kind === 'prompt') return (Array.isArray(args) ? args : []).filter(isObject).map(({ name }) => String(name));
  const properties = isObject(inputSchema) ? inputSchema['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** The words of a query with weight 1, and their synonyms with weight SYNONYM. */
function queryWords(query: string): ReadonlyMap<string, number> {
  const words = terms(query).slice(0, MAX_QUERY_WORDS);
  const synonyms = words.flatMap(synonymsOf).map((word): [string, number] => [word, SYNONYM]);
  return new Map([...synonyms, ...words.map((word): [string, number] => [word, 1])]);
}

/** Splits text into stemmed words. `getOrderById` and `get_order_by_id` become four words. */
const terms = (text: string): string[] =>
  splitWords(text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '))
    .filter((word) => !stopwords.has(word))
    .map(stem);

/** Synonyms, because users say "cancel" and tools are named `delete_`. A verb can be in several groups. */
const verbGroups: readonly (readonly string[])[] = [
  'list search find query lookup browse enumerate show see view check all any many',
  'get read fetch retrieve show view open describe inspect look see check display',
  'create add new insert make write post send open start begin publish set schedule book submit register upload record put launch',
  'update edit modify change set rename move assign adjust patch replace turn switch put increase decrease scale accept',
  'delete remove drop destroy archive cancel erase clear discard stop close rid',
].map((group) => group.split(' ').map(stem));

const synonymsOf = (word: string): readonly string[] =>
  verbGroups.filter((group) => group.includes(word)).flatMap((group) => group.filter((one) => one !== word));
