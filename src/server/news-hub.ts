/** Tells every open conversation what changed. Changes of one turn are told once. */
import type { News } from '../model/news.ts';
import type { NewsSource } from '../revisions/contract.ts';

interface Listener {
  readonly hear: (news: News) => void;
  readonly closed: () => void;
}

export class NewsHub implements NewsSource {
  readonly #listeners: Set<Listener> = new Set();
  readonly #waiting: Map<string, News> = new Map();

  subscribe(hear: (news: News) => void, closed: () => void): () => void {
    const listener = { hear, closed };
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get size(): number {
    return this.#listeners.size;
  }

  tell(news: News): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
    this.#waiting.set(news.kind === 'resource' ? `resource ${news.uri}` : news.kind, news);
  }

  #flush(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { hear } of [...this.#listeners]) for (const news of waiting) hear(news);
  }

  /** There will be no more news. */
  close(): void {
    for (const { closed } of [...this.#listeners]) closed();
    this.#listeners.clear();
  }
}
