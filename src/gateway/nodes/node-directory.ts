/** Finds live nodes: each renews a record with its address in the shared store. Messages go directly from node to node. */
import type { Clock } from '../../peer/clock.ts';
import { sleep } from '../../peer/wait.ts';
import type { NodeSealing } from '../../revisions/asks/aes-gcm.ts';
import type { Backend } from '../../stores/backend.ts';
import { ExpiringMap } from '../../stores/expiring-map.ts';
import { purposeSealer } from '../bridge/purpose-sealer.ts';
import type { NoteStoreFailure } from '../contract.ts';

const RENEW_MS = 5_000;
/** A node that has not renewed its record for this long is dead. */
const RECORD_MS = 15_000;
/** After a failover of the store, lost records are back by the next renewal. */
const MISSING_MS = RENEW_MS + 1_000;
/** How long a cached address is used while the store is unreachable. */
const KNOWN_MS = 60_000;

/** The address of a node, and how far its clock is ahead of ours (negative: behind). */
export interface FoundNode {
  readonly address: string;
  readonly aheadMs: number;
}

export interface NodeDirectorySettings {
  readonly id: string;
  readonly store: Pick<Backend, 'keyed'>;
  readonly keys: readonly Uint8Array[];
  readonly clock: Clock;
  readonly noteStoreFailure?: NoteStoreFailure | undefined;
}

export class NodeDirectory {
  readonly #settings: NodeDirectorySettings;
  readonly #sealer: NodeSealing;
  readonly #known: ExpiringMap<FoundNode>;
  #stop: (() => void) | undefined;

  constructor(settings: NodeDirectorySettings) {
    this.#settings = settings;
    this.#sealer = purposeSealer(settings.keys, 'record');
    this.#known = new ExpiringMap(settings.clock);
  }

  /** Publishes this node's address and keeps renewing it, also while the store is unreachable. */
  async start(address: string): Promise<void> {
    const { id, store, clock, noteStoreFailure } = this.#settings;
    const renew = async (): Promise<void> => {
      this.#stop = clock.after(RENEW_MS, () => void renew(), { idle: true });
      const record = this.#sealer.seal(`${address}#${clock.wall()}`, id);
      // A failure is not fatal, but other nodes cannot find this one until the next renewal.
      await store.keyed
        .put(recordKey(id), record, { ttlMs: RECORD_MS })
        .catch((error: unknown) => noteStoreFailure?.('nodes', error));
    };
    await renew();
  }

  async close(): Promise<void> {
    this.#stop?.();
    await this.#settings.store.keyed.delete(recordKey(this.#settings.id)).catch(() => undefined);
  }

  /** Undefined for a dead or unknown node. */
  async find(id: string): Promise<FoundNode | undefined> {
    const found = await this.look(id);
    if (found !== undefined) return found;
    await sleep(this.#settings.clock, MISSING_MS);
    return this.look(id);
  }

  /** Like `find`, without the wait for a record that can be missing for a moment. */
  async look(id: string): Promise<FoundNode | undefined> {
    const { store, clock } = this.#settings;
    try {
      const entry = await store.keyed.get(recordKey(id));
      const [address, at] = (entry && this.#sealer.open(entry.value, id))?.split('#') ?? [];
      if (address === undefined) return undefined;
      const found = { address, aheadMs: at === undefined ? 0 : Number(at) - clock.wall() };
      this.#known.set(id, found, KNOWN_MS);
      return found;
    } catch {
      return this.#known.get(id);
    }
  }
}

const recordKey = (id: string): string => `n:${id}`;
