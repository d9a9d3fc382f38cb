/** Which parts a change of a list is about: the list as it was, compared with the list as it is. */
import type { Client } from '../../client/index.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { changesIn, type kinds, type OfferChange } from '../dev/changes.ts';
import { type ListFailure, listOrFail } from '../offer.ts';

type Kind = (typeof kinds)[number];

export class OfferChanges {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #known: Map<Kind, readonly JsonObject[]> = new Map();

  constructor(client: Client, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Reads the list as it is now. The next `since` compares with it. */
  async read(kind: Kind): Promise<readonly JsonObject[] | undefined> {
    const failed: ListFailure[] = [];
    const by = { failed, signal: this.#signal };
    const listed: readonly object[] = [
      ...(await listOrFail(this.#client, kind, by)),
      ...(kind === 'resources' ? await listOrFail(this.#client, 'templates', by) : []),
    ];
    if (failed.length > 0) return undefined;
    const items = listed.map((item) => ({ ...item }));
    this.#known.set(kind, items);
    return items;
  }

  /** What is different since it was last read. Undefined where that is unknown, because a list failed, or nothing differs. */
  async since(kind: Kind): Promise<OfferChange | undefined> {
    const before = this.#known.get(kind);
    const after = await this.read(kind);
    return before && after && changesIn(kind, before, after);
  }
}
