/** News as it comes in, until nobody wants it any more. What nobody has read yet is told once, however often it happens. */
import { McpError } from '../errors.ts';
import { type Change, type ChangeFilter, filterCovers } from '../model/change.ts';

/** A server may name any number of parts of a resource; whoever is this far behind has to look at everything anyway. */
const MAX_UNREAD = 1000;

/** Ends when everything is read that will ever come. Stopping to read ends the watch. */
export interface Watch extends AsyncIterable<Change> {
  /** The part of what was asked for that the server will tell. */
  readonly granted: Promise<ChangeFilter>;
}

export class OpenWatch implements Watch {
  readonly granted: Promise<ChangeFilter>;
  readonly #filter: ChangeFilter;
  readonly #stop: AbortController = new AbortController();
  readonly #unread: Map<string, Change> = new Map();
  readonly #readers: (() => void)[] = [];
  #grant: (filter: ChangeFilter) => void = () => undefined;
  #refuse: (reason: unknown) => void = () => undefined;
  #failure: unknown;

  constructor(filter: ChangeFilter) {
    this.#filter = filter;
    this.granted = new Promise((resolve, reject) => {
      this.#grant = resolve;
      this.#refuse = reject;
    });
    // Nobody need ask.
    this.granted.catch(() => undefined);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change, void, undefined> {
    try {
      for (;;) {
        for (const [key, news] of this.#unread) {
          this.#unread.delete(key);
          yield news;
        }
        if (this.#failure !== undefined) throw this.#failure;
        if (this.stopped.aborted) return;
        await new Promise<void>((resolve) => this.#readers.push(resolve));
      }
    } finally {
      this.end();
    }
  }

  get filter(): ChangeFilter {
    return this.#filter;
  }

  /** Aborts when nobody wants to hear more, or nothing more will come. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  grant(filter: ChangeFilter): void {
    this.#grant(filter);
  }

  push(news: Change): void {
    if (this.stopped.aborted || this.#unread.size >= MAX_UNREAD) return;
    this.#unread.set(news.kind === 'resource' ? `resource ${news.uri}` : news.kind, news);
    this.#wake();
  }

  end(failure?: unknown): void {
    if (this.stopped.aborted) return;
    this.#failure = failure;
    this.#refuse(failure ?? new McpError('MCP_CLOSED', { why: 'the watch ended before the server granted it' }));
    this.#stop.abort();
    this.#wake();
  }

  #wake(): void {
    for (const reader of this.#readers.splice(0)) reader();
  }
}

/** Whether a watch is about this. News of a part of a resource is news of the resource. */
export const matchesFilter = (filter: ChangeFilter, news: Change): boolean =>
  filterCovers(filter, news) ||
  (news.kind === 'resource' && filter.resourceSubscriptions?.some((uri) => news.uri.startsWith(uri)) === true);
