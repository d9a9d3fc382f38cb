/** A list that comes in pages. Nothing is asked for before somebody reads. */
import { McpError, RpcError } from '../errors.ts';
import { INVALID_PARAMS } from '../jsonrpc/message.ts';
import type { ListKind, ListPage } from '../revisions/decode-lists.ts';
import type { LiveConnection } from './connection.ts';
import type { ClientLimits } from './options.ts';

export interface ListSource<T> {
  readonly kind: ListKind<T>;
  readonly limits: ClientLimits;
  /** One page; the first one without a cursor, and so is any other if the session of its cursor is over. */
  page(cursor: string | undefined, session: LiveConnection | undefined): Promise<SessionPage<T>>;
  /** What is kept of this list no longer holds. */
  forget(): void;
  warn(warning: string): void;
}

export interface SessionPage<T> extends ListPage<T> {
  /** The session that its cursor belongs to; undefined where there are none. */
  readonly session: LiveConnection | undefined;
}

/** Read it item by item, page by page, or all at once. */
export interface Listing<T> extends AsyncIterable<T> {
  pages(): AsyncIterable<readonly T[]>;
  all(): Promise<readonly T[]>;
}

export class PagedListing<T> implements Listing<T> {
  readonly #source: ListSource<T>;

  constructor(source: ListSource<T>) {
    this.#source = source;
  }

  async *pages(): AsyncGenerator<readonly T[], void, undefined> {
    const walk = new ListReader(this.#source);
    for (let page = await walk.next(); page !== undefined; page = await walk.next()) yield page;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page;
  }

  async all(): Promise<readonly T[]> {
    const all: T[] = [];
    for await (const page of this.pages()) all.push(...page);
    return all;
  }
}

/** One pass through a list. Cursors are the server's: they are compared and sent back, never read. */
class ListReader<T> {
  readonly #source: ListSource<T>;
  readonly #keys: Set<string> = new Set();
  readonly #cursors: Set<string> = new Set();
  #cursor: string | undefined;
  #session: LiveConnection | undefined;
  #pages = 0;
  #restarted = false;
  #ended = false;

  constructor(source: ListSource<T>) {
    this.#source = source;
  }

  async next(): Promise<readonly T[] | undefined> {
    if (this.#ended) return undefined;
    const { limits } = this.#source;
    if (++this.#pages > limits.maxPages) throw this.#tooLong('pages');
    const { items, nextCursor, session } = await this.#page();
    if (this.#cursor !== undefined && session !== this.#session) this.#forget();
    const fresh = items.filter((item) => this.#isFirst(item));
    if (this.#keys.size > limits.maxItems) throw this.#tooLong('items');
    this.#cursor = nextCursor;
    this.#session = session;
    this.#ended = nextCursor === undefined;
    if (nextCursor !== undefined && this.#cursors.has(nextCursor)) {
      const cursor = JSON.stringify(nextCursor.slice(0, 100));
      throw new McpError('MCP_CURSOR_LOOP', { method: this.#source.kind.method, cursor });
    }
    if (nextCursor !== undefined) this.#cursors.add(nextCursor);
    return fresh;
  }

  /** A cursor that the server no longer knows means that the list has changed: once, we start again. */
  async #page(): Promise<SessionPage<T>> {
    try {
      return await this.#source.page(this.#cursor, this.#session);
    } catch (error) {
      const invalid = error instanceof RpcError && error.code === INVALID_PARAMS && this.#cursor !== undefined;
      if (!invalid || this.#restarted) throw error;
      this.#forget();
      return this.#source.page(undefined, undefined);
    }
  }

  /** The pages so far are of a list that is gone. */
  #forget(): void {
    this.#restarted = true;
    this.#cursors.clear();
    this.#source.forget();
  }

  /** The first of two items with the same name counts. */
  #isFirst(item: T): boolean {
    const { kind, warn } = this.#source;
    const key = kind.keyOf(item);
    const known = this.#keys.has(key);
    if (known && !this.#restarted) warn(`${kind.method} lists "${key}" twice; the first one counts`);
    this.#keys.add(key);
    return !known;
  }

  #tooLong(unit: 'pages' | 'items'): McpError {
    const { kind, limits } = this.#source;
    const name = unit === 'pages' ? 'maxPages' : 'maxItems';
    const setting = `limits.${name}`;
    return new McpError('MCP_LIST_TOO_LONG', { method: kind.method, limit: limits[name], unit, setting });
  }
}
