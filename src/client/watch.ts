/** News as it comes in, until nobody wants it any more. What nobody has read yet is told once, however often it happens. */
import { McpError } from '../errors.ts';
import { type News, type NewsFilter, wants } from '../model/news.ts';

/** A server may name any number of parts of a resource; whoever is this far behind has to look at everything anyway. */
const MAX_UNREAD = 1000;

export class Watch implements AsyncIterable<News> {
  /** The part of what was asked for that the server will tell. */
  readonly granted: Promise<NewsFilter>;
  readonly #filter: NewsFilter;
  readonly #stop: AbortController = new AbortController();
  readonly #unread: Map<string, News> = new Map();
  readonly #readers: Deferred<IteratorResult<News>>[] = [];
  #grant: Deferred<NewsFilter> | undefined;
  #ended = false;
  #failure: unknown;

  constructor(filter: NewsFilter) {
    this.#filter = filter;
    const grant = deferred<NewsFilter>();
    this.#grant = grant;
    this.granted = grant.promise;
    // Nobody need ask.
    this.granted.catch(() => undefined);
  }

  /** Aborts when nobody wants to hear more. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  get filter(): NewsFilter {
    return this.#filter;
  }

  grant(filter: NewsFilter): void {
    this.#grant?.resolve(filter);
    this.#grant = undefined;
  }

  tell(news: News): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) {
      reader.resolve({ done: false, value: news });
      return;
    }
    const key = news.kind === 'resource' ? `resource ${news.uri}` : news.kind;
    if (this.#unread.size < MAX_UNREAD) this.#unread.set(key, news);
  }

  /** Nothing more will come. What is unread can still be read. */
  end(failure?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#failure = failure;
    this.#grant?.reject(failure ?? new McpError('MCP_CLOSED', { why: 'the watch ended before the server granted it' }));
    this.#stop.abort();
    for (const reader of this.#readers.splice(0)) this.#over(reader);
  }

  [Symbol.asyncIterator](): AsyncIterator<News> {
    return {
      next: () => this.#next(),
      return: () => {
        this.end();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  #next(): Promise<IteratorResult<News>> {
    const [first] = this.#unread;
    if (first !== undefined) {
      const [key, value] = first;
      this.#unread.delete(key);
      return Promise.resolve({ done: false, value });
    }
    const reader = deferred<IteratorResult<News>>();
    if (this.#ended) this.#over(reader);
    else this.#readers.push(reader);
    return reader.promise;
  }

  #over(reader: Deferred<IteratorResult<News>>): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure === undefined) reader.resolve({ done: true, value: undefined });
    else reader.reject(failure);
  }
}

/** Whether a watch is about this. News of a part of a resource is news of the resource. */
export const concerns = (filter: NewsFilter, news: News): boolean =>
  wants(filter, news) ||
  (news.kind === 'resource' && filter.resourceSubscriptions?.some((uri) => news.uri.startsWith(uri)) === true);

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}
function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
