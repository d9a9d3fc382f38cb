/** Changes as they come in, for as long as they are read. A change that happens again before it was read is delivered once. */
import { McpError } from '../errors.ts';
import { type Change, type ChangeFilter, filterCovers } from '../model/change.ts';
import { Deferred } from '../peer/wait.ts';

/** A server can name any number of parts of a resource; a reader this far behind has to look at everything anyway. */
const MAX_UNREAD = 1000;

/** Ends when everything is read that will ever come. Leaving a loop over it, and `await using`, end it too. */
export interface Watch extends AsyncIterable<Change>, AsyncDisposable {
  /** The part of the filter that the server reports on. Every change after this moment is delivered. */
  readonly granted: Promise<ChangeFilter>;
  /** Waits for the next change, and keeps the watch open. Undefined when the watch has ended. */
  nextChange(): Promise<Change | undefined>;
}

export class OpenWatch implements Watch {
  readonly #grant: Deferred<ChangeFilter> = new Deferred();
  readonly granted: Promise<ChangeFilter> = this.#grant.promise;
  readonly #filter: ChangeFilter;
  readonly #stop: AbortController = new AbortController();
  readonly #unread: Map<string, Change> = new Map();
  readonly #readers: (() => void)[] = [];
  #failure: unknown;

  constructor(filter: ChangeFilter) {
    this.#filter = filter;
    // Reading it is optional.
    this.granted.catch(() => undefined);
  }

  async nextChange(): Promise<Change | undefined> {
    for (;;) {
      const [first] = this.#unread;
      if (first !== undefined) {
        const [key, change] = first;
        this.#unread.delete(key);
        return change;
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (this.stopped.aborted) return undefined;
      await new Promise<void>((resolve) => this.#readers.push(resolve));
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    try {
      for (let change = await this.nextChange(); change !== undefined; change = await this.nextChange()) yield change;
    } finally {
      this.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
  }

  get filter(): ChangeFilter {
    return this.#filter;
  }

  /** Aborts when reading has stopped, or nothing more will come. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  grant(filter: ChangeFilter): void {
    this.#grant.resolve(filter);
  }

  push(change: Change): void {
    if (this.stopped.aborted || this.#unread.size >= MAX_UNREAD) return;
    this.#unread.set(change.kind === 'resource' ? `resource ${change.uri}` : change.kind, change);
    this.#wake();
  }

  end(failure?: unknown): void {
    if (this.stopped.aborted) return;
    this.#failure = failure;
    this.#grant.reject(failure ?? new McpError('MCP_CLOSED', { why: 'the watch ended before the server granted it' }));
    this.#stop.abort();
    this.#wake();
  }

  #wake(): void {
    for (const reader of this.#readers.splice(0)) reader();
  }
}

/** A change of a part of a resource is a change of the resource. */
export const matchesFilter = (filter: ChangeFilter, change: Change): boolean =>
  filterCovers(filter, change) ||
  (change.kind === 'resource' && filter.resourceSubscriptions?.some((uri) => change.uri.startsWith(uri)) === true);
