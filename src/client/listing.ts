/** Reads paginated lists lazily: each page is requested when its reader gets there. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS } from '../jsonrpc/message.ts';
import { limitWarnings } from '../model/limit-warnings.ts';
import { keyOfItem, type ListKind, type ListPage } from '../revisions/decode-lists.ts';
import type { LiveConnection } from './live-connection.ts';
import type { ClientLimits } from './options.ts';

export interface ListSource<T> {
  readonly kind: ListKind<T>;
  readonly limits: ClientLimits;
  /** Requests the page at the cursor; the first page without one, or if the cursor's session has ended. */
  page(cursor: string | undefined, session: LiveConnection | undefined): Promise<SessionPage<T>>;
  /** Evicts the cached pages of this list. */
  forget(): void;
  warn(warning: string): void;
}

export interface SessionPage<T> extends ListPage<T> {
  /** The session that the cursor is valid in; undefined in revisions without sessions. */
  readonly session: LiveConnection | undefined;
}

/** A list of the server: read it item by item, page by page, or all at once. */
export interface Listing<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<readonly T[]>;
  all(): Promise<readonly T[]>;
}

export function createListing<T>(source: ListSource<T>): Listing<T> {
  return {
    pages: () => new ListReader(source).pages(),
    async *[Symbol.asyncIterator]() {
      for await (const page of this.pages()) yield* page;
    },
    async all() {
      const all: T[] = [];
      // Not with spread: a page can have more items than a call can have arguments.
      for await (const page of this.pages()) for (const item of page) all.push(item);
      return all;
    },
  };
}

/** One pass through a list. Cursors are opaque: they are compared and sent back, never parsed. */
class ListReader<T> {
  readonly #source: ListSource<T>;
  readonly #keys: Set<string> = new Set();
  readonly #cursors: Set<string> = new Set();
  readonly #warn: (warning: string) => void;
  #isRestarted = false;

  constructor(source: ListSource<T>) {
    this.#source = source;
    this.#warn = limitWarnings(source.warn, source.kind.method);
  }

  async *pages(): AsyncGenerator<readonly T[], void, undefined> {
    const { limits } = this.#source;
    let cursor: string | undefined;
    let session: LiveConnection | undefined;
    let count = 0;
    do {
      if (++count > limits.maxPages) throw this.#tooLong('pages');
      const page = await this.#page(cursor, session);
      if (cursor !== undefined && page.session !== session) this.#restart();
      const items = page.items.filter((item) => this.#isFirst(item));
      if (this.#keys.size > limits.maxItems) throw this.#tooLong('items');
      cursor = page.nextCursor;
      session = page.session;
      if (cursor !== undefined) this.#checkCursor(cursor);
      yield items;
    } while (cursor !== undefined);
  }

  /** Requests a page. If the server rejects the cursor, the list has changed: restarts from the first page, once. */
  async #page(cursor: string | undefined, session: LiveConnection | undefined): Promise<SessionPage<T>> {
    try {
      return await this.#source.page(cursor, session);
    } catch (error) {
      const isInvalid = error instanceof RpcError && error.code === INVALID_PARAMS && cursor !== undefined;
      if (!isInvalid || this.#isRestarted) throw error;
      this.#restart();
      return this.#source.page(undefined, undefined);
    }
  }

  #checkCursor(cursor: string): void {
    if (this.#cursors.has(cursor)) {
      const details = { method: this.#source.kind.method, cursor: JSON.stringify(cursor.slice(0, 100)) };
      throw new McpError('MCP_CURSOR_LOOP', details);
    }
    this.#cursors.add(cursor);
  }

  /** Discards cached pages and known cursors, which belong to an outdated list. */
  #restart(): void {
    this.#isRestarted = true;
    this.#cursors.clear();
    this.#source.forget();
  }

  /** Whether no earlier item has the same key. Warns about duplicates, unless the list was restarted. */
  #isFirst(item: T): boolean {
    const { kind } = this.#source;
    const key = keyOfItem(kind, item);
    const isKnown = this.#keys.has(key);
    if (isKnown && !this.#isRestarted) this.#warn(`${kind.method} lists "${key}" twice; the first one counts`);
    this.#keys.add(key);
    return !isKnown;
  }

  #tooLong(unit: 'pages' | 'items'): McpError {
    const { kind, limits } = this.#source;
    const name = unit === 'pages' ? 'maxPages' : 'maxItems';
    const details = { method: kind.method, limit: limits[name], unit, setting: `limits.${name}` };
    return new McpError('MCP_LIST_TOO_LONG', details);
  }
}
