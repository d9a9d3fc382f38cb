/** Results that are too long for a model, kept for the session and read page by page. */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { badDefinition, McpError } from '../../errors.ts';
import type { Resource } from '../../model/parts.ts';

const PREFIX = 'host://results/';
/** Of all results of a session; the oldest go first. */
const MAX_CHARACTERS: number = 16 * 1024 * 1024;
const MAX_RESULTS = 100;
const PAGE = 8_192;
const MAX_PAGE = 65_536;

/** A piece of a long result. */
export interface ResultPage {
  readonly text: string;
  /** Where it begins, in characters. */
  readonly offset: number;
  readonly total: number;
  /** Where the next page begins; absent on the last one. */
  readonly next?: number;
}

/** Results that were too long for the model, for as long as the session lives. */
export interface Results {
  /** A page of a result; no page begins or ends within a character. */
  read(uri: string, options?: { offset?: number; limit?: number }): ResultPage;
  /** The tool that a result came from, by its name in the catalogue. */
  sourceOf(uri: string): string | undefined;
  list(): readonly Resource[];
}

/** The results of one session, and gone with it. */
export class SessionResults implements Results {
  /** `from` is the tool, by its name in the catalogue. */
  readonly #kept: Map<string, { readonly from: string; readonly text: string }> = new Map();
  #characters = 0;

  /** The address under which it can be read. Undefined if it is too long to be kept at all. */
  keep(from: string, text: string): string | undefined {
    if (text.length > MAX_CHARACTERS) return undefined;
    const uri = `${PREFIX}${randomUUID()}`;
    this.#kept.set(uri, { from, text });
    this.#characters += text.length;
    for (const [oldest, { text: gone }] of this.#kept) {
      if (this.#characters <= MAX_CHARACTERS && this.#kept.size <= MAX_RESULTS) break;
      this.#kept.delete(oldest);
      this.#characters -= gone.length;
    }
    return uri;
  }

  read(uri: string, { offset = 0, limit = PAGE }: { offset?: number; limit?: number } = {}): ResultPage {
    const kept = this.#kept.get(uri);
    const what = `The result ${JSON.stringify(uri.slice(0, 100))}`;
    if (kept === undefined)
      throw new McpError('MCP_NOT_FOUND', { what, why: 'it is not kept, or no longer; call the tool again' });
    const { text } = kept;
    if (!(Number.isInteger(offset) && offset >= 0 && limit >= 1))
      throw badDefinition(what, 'offset and limit are numbers of characters');
    const begin = wholeAt(text, Math.min(offset, text.length));
    const end = wholeAt(text, Math.min(text.length, begin + Math.max(2, Math.min(limit, MAX_PAGE))));
    const page = { text: text.slice(begin, end), offset: begin, total: text.length };
    return end < text.length ? { ...page, next: end } : page;
  }

  sourceOf(uri: string): string | undefined {
    return this.#kept.get(uri)?.from;
  }

  list(): readonly Resource[] {
    return [...this.#kept].map(([uri, { from, text }]) => ({
      uri,
      name: `Result of ${from}`,
      mimeType: 'text/plain',
      size: Buffer.byteLength(text),
    }));
  }

  clear(): void {
    this.#kept.clear();
    this.#characters = 0;
  }
}

/** Not in the middle of a surrogate pair. */
export function wholeAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at;
}
