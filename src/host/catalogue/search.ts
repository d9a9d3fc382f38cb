/**
 * Finding parts by what they are about: BM25 over names, titles, descriptions and names of parameters, after Robertson and
 * Zaragoza, with the fields weighted before they are put together.
 */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import { splitWords, stem, stopwords } from '../text/words.ts';
import type { CatalogueItem } from './item.ts';
import { sameDeed } from './search-verbs.ts';

/** How soon more of the same word stops to matter, and how much longer texts are held back. */
const K1 = 1.2;
const B = 0.5;
const weights = { name: 4, title: 2, description: 1, parameters: 1 } as const;
/** Of a description; the rest is detail. */
const MAX_TEXT = 4_096;
const MAX_QUERY_WORDS = 64;
/** How much a word counts that means the same. */
const MEANT = 0.35;

export interface Indexed<P> {
  readonly part: P;
  readonly score: number;
}

interface SearchDocument<P> {
  readonly part: P;
  readonly length: number;
}

export class SearchIndex<P extends CatalogueItem> {
  readonly #documents: readonly SearchDocument<P>[];
  /** By word: the documents that have it, and how much of it. */
  readonly #postings: Map<string, Map<number, number>> = new Map();
  readonly #meanLength: number;

  constructor(parts: readonly P[]) {
    this.#documents = parts.map((part, id) => ({ part, length: this.#add(id, part) }));
    const all = this.#documents.reduce((sum, { length }) => sum + length, 0);
    this.#meanLength = all / Math.max(1, parts.length);
  }

  /** Those that have any of the words, the best first; equal ones in the order of their names. */
  search(query: string): readonly Indexed<P>[] {
    const scores = new Map<number, number>();
    for (const [word, share] of wanted(query)) {
      const found = this.#postings.get(word);
      if (found === undefined) continue;
      const rarity = Math.log(1 + (this.#documents.length - found.size + 0.5) / (found.size + 0.5));
      for (const [id, weight] of found)
        scores.set(id, (scores.get(id) ?? 0) + share * rarity * this.#strength(id, weight));
    }
    return [...scores]
      .flatMap(([id, score]) => {
        const part = this.#documents[id]?.part;
        return part === undefined ? [] : [{ part, score }];
      })
      .toSorted((a, b) => b.score - a.score || (a.part.name < b.part.name ? -1 : 1));
  }

  #strength(id: number, weight: number): number {
    const length = (this.#documents[id]?.length ?? 0) / this.#meanLength;
    return (weight * (K1 + 1)) / (weight + K1 * (1 - B + B * length));
  }

  #add(id: number, part: P): number {
    let length = 0;
    for (const [text, weight] of fieldsOf(part))
      for (const word of terms(text)) {
        const found = this.#postings.get(word) ?? new Map<number, number>();
        this.#postings.set(word, found);
        found.set(id, (found.get(id) ?? 0) + weight);
        length += weight;
      }
    return length;
  }
}

function fieldsOf({ name, title, kind, definition }: CatalogueItem): readonly (readonly [string, number])[] {
  const { description = '' } = definition as { description?: unknown }; // every kind has one
  return [
    [name, weights.name],
    [title === name ? '' : title, weights.title],
    [String(description).slice(0, MAX_TEXT), weights.description],
    [parametersOf(kind, definition as unknown as JsonObject).join(' '), weights.parameters], // each is JSON
  ];
}

function parametersOf(kind: CatalogueItem['kind'], { inputSchema, arguments: args }: JsonObject): string[] {
  if (kind === 'prompt') return (Array.isArray(args) ? args : []).filter(isObject).map(({ name }) => String(name));
  const properties = isObject(inputSchema) ? inputSchema['properties'] : undefined;
  return isObject(properties) ? Object.keys(properties) : [];
}

/** The words of a query, and less so those that mean the same deed. */
function wanted(query: string): ReadonlyMap<string, number> {
  const said = terms(query).slice(0, MAX_QUERY_WORDS);
  const meant = said.flatMap(sameDeed).map((word): [string, number] => [word, MEANT]);
  return new Map([...meant, ...said.map((word): [string, number] => [word, 1])]);
}

/** Names are taken apart: `getOrderById` and `get_order_by_id` are four words. */
const terms = (text: string): string[] =>
  splitWords(text.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_-]+/g, ' '))
    .filter((word) => !stopwords.has(word))
    .map(stem);
