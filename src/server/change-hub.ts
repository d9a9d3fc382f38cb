/** Notifies every open conversation of changes. The same change within one turn is sent once. */
import type { Change } from '../model/change.ts';
import type { ChangeSource } from '../revisions/contract.ts';
import type { ChangeBridge } from './change-bus.ts';

export interface ChangeListener {
  hear(change: Change): void;
  /** Only streams have an end of their own. */
  readonly closed?: () => void;
}

export class ChangeHub {
  readonly #listeners: Set<ChangeListener> = new Set();
  readonly #waiting: Map<string, Change> = new Map();
  /** The way to other processes, and the changes that are not published yet. */
  readonly #bridge: ChangeBridge | undefined;
  readonly #unshared: Map<string, Change> = new Map();
  #leaveBridge: (() => void) | undefined;
  /** Streams that are open now, in all conversations. */
  streams = 0;

  constructor(bridge?: ChangeBridge) {
    this.#bridge = bridge;
  }

  join(listener: ChangeListener): void {
    this.#listeners.add(listener);
    if (listener.closed !== undefined) this.streams++;
    // The bus is subscribed to while this process has listeners.
    this.#leaveBridge ??= this.#bridge?.subscribe((change) => this.#queue(change));
  }

  leave(listener: ChangeListener): void {
    if (!this.#listeners.delete(listener)) return;
    if (listener.closed !== undefined) this.streams--;
    if (this.#listeners.size > 0) return;
    this.#leaveBridge?.();
    this.#leaveBridge = undefined;
  }

  tell(change: Change): void {
    if (this.#bridge !== undefined) {
      if (this.#unshared.size === 0) queueMicrotask(() => this.#share());
      this.#unshared.set(keyOf(change), change);
    }
    this.#queue(change);
  }

  #queue(change: Change): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
    this.#waiting.set(keyOf(change), change);
  }

  #share(): void {
    const changes = [...this.#unshared.values()];
    this.#unshared.clear();
    void this.#bridge?.publish(changes);
  }

  #flush(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const listener of [...this.#listeners]) {
      try {
        for (const change of waiting) listener.hear(change);
      } catch {
        // The transport ends a channel that cannot be written to; the other listeners are still notified.
      }
    }
  }

  /** Ends all streams. */
  close(): void {
    for (const listener of [...this.#listeners]) listener.closed?.();
  }
}

const keyOf = (change: Change): string => (change.kind === 'resource' ? `resource ${change.uri}` : change.kind);

/** The streams that one conversation opened: they end with it. */
export class ChangeStreams implements ChangeSource {
  readonly #hub: ChangeHub;
  #open: Set<() => void> | undefined;

  constructor(hub: ChangeHub) {
    this.#hub = hub;
  }

  subscribe(hear: (change: Change) => void, closed: () => void): () => void {
    const listener = { hear, closed };
    this.#hub.join(listener);
    // Most conversations never open one.
    this.#open ??= new Set();
    this.#open.add(closed);
    return () => {
      this.#hub.leave(listener);
      this.#open?.delete(closed);
    };
  }

  close(): void {
    for (const closed of [...(this.#open ?? [])]) closed();
  }
}
