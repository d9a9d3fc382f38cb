/** Tells every open conversation what changed. Changes of one turn are told once. */
import type { News } from '../model/news.ts';
import type { NewsSource } from '../revisions/contract.ts';

interface Listener {
  readonly hear: (news: News) => void;
  /** Only streams have an end of their own. */
  readonly closed: (() => void) | undefined;
}

export class NewsHub {
  readonly #listeners: Set<Listener> = new Set();
  readonly #waiting: Map<string, News> = new Map();
  /** Streams that are open now, in all conversations. */
  streams = 0;

  subscribe(hear: (news: News) => void, closed?: () => void): () => void {
    const listener = { hear, closed };
    this.#listeners.add(listener);
    if (closed !== undefined) this.streams++;
    return () => {
      if (this.#listeners.delete(listener) && closed !== undefined) this.streams--;
    };
  }

  tell(news: News): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
    this.#waiting.set(news.kind === 'resource' ? `resource ${news.uri}` : news.kind, news);
  }

  #flush(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { hear } of [...this.#listeners]) {
      try {
        for (const news of waiting) hear(news);
      } catch {
        // A channel that cannot be written to is its transport's to end; the others still want to know.
      }
    }
  }

  /** There will be no more news on streams. */
  close(): void {
    for (const { closed } of [...this.#listeners]) closed?.();
  }
}

/** The streams that one conversation opened: they end with it. */
export class NewsStreams implements NewsSource {
  readonly #hub: NewsHub;
  #open: Set<() => void> | undefined;

  constructor(hub: NewsHub) {
    this.#hub = hub;
  }

  subscribe(hear: (news: News) => void, closed: () => void): () => void {
    const stop = this.#hub.subscribe(hear, closed);
    // Most conversations never open one.
    this.#open ??= new Set();
    this.#open.add(closed);
    return () => {
      stop();
      this.#open?.delete(closed);
    };
  }

  close(): void {
    for (const closed of [...(this.#open ?? [])]) closed();
  }
}
