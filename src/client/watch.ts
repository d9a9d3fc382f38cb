/** A subscription to changes, as its reader sees it. Coalesces repeated changes that were not read yet. */
import { McpError } from '../errors.ts';
import { type Change, type ChangeFilter, filterCovers } from '../model/change.ts';
import { Deferred } from '../peer/wait.ts';

/** Limits the unread changes of resources; the server chooses the URIs, so their number is unbounded. Further ones are dropped. */
const MAX_UNREAD = 1000;

/** A subscription to changes. It ends when the client closes, when you leave a `for await` loop over it, or with `await using`. */
export interface Watch extends AsyncIterable<Change>, AsyncDisposable {
  /** Resolves when the server accepts the subscription, with the part of the filter that it accepted. Later changes are delivered. */
  readonly granted: Promise<ChangeFilter>;
  /** Waits for the next change. Unlike `for await`, does not end the watch. Undefined when the watch has ended. */
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
    // Callers may ignore `granted`, so its rejection must not be reported as unhandled.
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

  /** Aborts when the watch has ended. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  grant(filter: ChangeFilter): void {
    this.#grant.resolve(filter);
  }

  push(change: Change): void {
    const isResource = change.kind === 'resource';
    if (this.stopped.aborted || (isResource && this.#unread.size >= MAX_UNREAD)) return;
    this.#unread.set(isResource ? `resource ${change.uri}` : change.kind, change);
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

/** Whether the filter includes the change. A subscription to a URI includes changes of its sub-resources. */
export const matchesFilter = (filter: ChangeFilter, change: Change): boolean =>
  filterCovers(filter, change) ||
  (change.kind === 'resource' && filter.resourceSubscriptions?.some((uri) => change.uri.startsWith(uri)) === true);
