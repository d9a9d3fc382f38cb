/** Follows the notifications of one server about changes of its lists, on its current connection. */
import type { Client } from '../../client/index.ts';
import type { ItemKind } from './item.ts';

const kindsIn = { tools: ['tool'], prompts: ['prompt'], resources: ['resource', 'template'] } as const;

export class AnnouncedChanges {
  readonly #signal: AbortSignal;
  readonly #onChange: (kind: ItemKind) => void;
  #client: Client | undefined;
  /** The kinds whose changes the server announces. */
  #kinds: ReadonlySet<ItemKind> = new Set();

  /** Until `signal` is aborted, calls `onChange` for each list that has changed. */
  constructor(signal: AbortSignal, onChange: (kind: ItemKind) => void) {
    this.#signal = signal;
    this.#onChange = onChange;
  }

  /** Whether the server announces changes of this list. */
  has(kind: ItemKind): boolean {
    return this.#kinds.has(kind);
  }

  /** Whether this is the connection that is followed. */
  isOf(client: Client): boolean {
    return this.#client === client;
  }

  /** Follows this connection instead of the one before. */
  follow(client: Client): void {
    if (this.#client === client) return;
    this.#client = client;
    this.#kinds = new Set();
    const watch = client.watch({ tools: true, prompts: true, resources: true }, { signal: this.#signal });
    watch.granted.then(
      ({ toolsListChanged, promptsListChanged, resourcesListChanged }) => {
        this.#kinds = new Set<ItemKind>([
          ...(toolsListChanged === true ? kindsIn.tools : []),
          ...(promptsListChanged === true ? kindsIn.prompts : []),
          ...(resourcesListChanged === true ? kindsIn.resources : []),
        ]);
      },
      () => undefined,
    );
    void this.#read(watch, client);
  }

  async #read(watch: ReturnType<Client['watch']>, client: Client): Promise<void> {
    try {
      for await (const { kind } of watch)
        if (kind !== 'resource' && this.#client === client) for (const one of kindsIn[kind]) this.#onChange(one);
    } catch {
      // The stream failed: lists expire after a time instead.
    }
    if (this.#client === client) this.#kinds = new Set();
  }
}
