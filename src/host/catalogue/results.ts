/** Stores long tool results for the session, so that the model reads them page by page. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { badDefinition, McpError } from '../../errors.ts';
import type { Resource } from '../../model/parts.ts';

const PREFIX = 'host://results/';
/** Limits per session; beyond them, the oldest results are evicted. */
const MAX_CHARACTERS: number = 16 * 1024 * 1024;
const MAX_RESULTS = 100;
const PAGE = 8_192;
const MAX_PAGE = 65_536;

/** A page of a long result. */
export interface ResultPage {
  readonly text: string;
  /** The offset of this page, in characters. */
  readonly offset: number;
  readonly total: number;
  /** The offset of the next page; absent on the last page. */
  readonly next?: number;
}

/** Long tool results of a session. */
export interface Results {
  /** Reads a page. Pages never split a surrogate pair. */
  read(uri: string, options?: { offset?: number; limit?: number }): ResultPage;
  /** The catalogue name of the tool that returned the result. */
  sourceOf(uri: string): string | undefined;
  list(): readonly Resource[];
}

export class SessionResults implements Results {
  /** By URI, oldest first. `from` is the catalogue name of the tool. */
  readonly #stored: Map<string, { readonly from: string; readonly text: string }> = new Map();
  #characters = 0;

  /** Stores a result and returns its URI; undefined if it exceeds the limit of the session. */
  keep(from: string, text: string): string | undefined {
    if (text.length > MAX_CHARACTERS) return undefined;
    const uri = `${PREFIX}${randomUUID()}`;
    this.#stored.set(uri, { from, text });
    this.#characters += text.length;
    for (const [oldest, { text: evicted }] of this.#stored) {
      if (this.#characters <= MAX_CHARACTERS && this.#stored.size <= MAX_RESULTS) break;
      this.#stored.delete(oldest);
      this.#characters -= evicted.length;
    }
    return uri;
  }

  read(uri: string, { offset = 0, limit = PAGE }: { offset?: number; limit?: number } = {}): ResultPage {
    const stored = this.#stored.get(uri);
    const what = `The result ${JSON.stringify(uri.slice(0, 100))}`;
    if (stored === undefined)
      throw new McpError('MCP_NOT_FOUND', { what, why: 'its text is not stored, or no longer; call the tool again' });
    const { text } = stored;
    if (!(Number.isInteger(offset) && offset >= 0 && limit >= 1))
      throw badDefinition(what, 'offset and limit are numbers of characters');
    const begin = wholeAt(text, Math.min(offset, text.length));
    const end = wholeAt(text, Math.min(text.length, begin + Math.max(2, Math.min(limit, MAX_PAGE))));
    const page = { text: text.slice(begin, end), offset: begin, total: text.length };
    return end < text.length ? { ...page, next: end } : page;
  }

  sourceOf(uri: string): string | undefined {
    return this.#stored.get(uri)?.from;
  }

  list(): readonly Resource[] {
    return [...this.#stored].map(([uri, { from, text }]) => ({
      uri,
      name: `Result of ${from}`,
      mimeType: 'text/plain',
      size: Buffer.byteLength(text),
    }));
  }

  clear(): void {
    this.#stored.clear();
    this.#characters = 0;
  }
}

/** Moves an index out of the middle of a surrogate pair. */
export function wholeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}
