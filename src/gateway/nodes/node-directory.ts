/** Which nodes live, and where: each says so every few seconds. The store says who; messages go directly. */
import type { Clock } from '../../peer/clock.ts';
import { sleep } from '../../peer/wait.ts';
import type { NodeSealing } from '../../revisions/asks/aes-gcm.ts';
import type { Backend } from '../../stores/backend.ts';
import { ExpiringMap } from '../../stores/expiring-map.ts';
import { purposeSealer } from '../bridge/purpose-sealer.ts';
import type { NoteStoreFailure } from '../contract.ts';

const RENEW_MS = 5_000;
/** A node that did not renew its record for so long is dead. */
const RECORD_MS = 15_000;
/** A store that failed over can have lost records: they are back after the next renewal. */
const MISSING_MS = RENEW_MS + 1_000;
/** How long an address is believed while the store is away. */
const KNOWN_MS = 60_000;

/** Where a node is, and how far its clock is ahead of this one; behind, where the number is negative. */
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

  /** Says where this node is, from now on. A store that is away is told when it is back. */
  async start(address: string): Promise<void> {
    const { id, store, clock, noteStoreFailure } = this.#settings;
    const renew = async (): Promise<void> => {
      this.#stop = clock.after(RENEW_MS, () => void renew(), { idle: true });
      const record = this.#sealer.seal(`${address}#${clock.wall()}`, id);
      // Other nodes cannot find this one meanwhile.
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

  /** Undefined for a node that is dead or never was. */
  async find(id: string): Promise<FoundNode | undefined> {
    const found = await this.#read(id);
    if (found !== undefined) return found;
    await sleep(this.#settings.clock, MISSING_MS);
    return this.#read(id);
  }

  async #read(id: string): Promise<FoundNode | undefined> {
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
