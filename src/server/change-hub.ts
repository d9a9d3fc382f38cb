/** Notifies every open conversation of changes, and other processes over a bus. The same change within one turn is sent once. */
import { type Change, isChange } from '../model/change.ts';
import { callHook } from '../peer/call-hook.ts';
import type { ChangeBus } from './change-bus.ts';

export interface ChangeListener {
  onChange(change: Change): void;
  /** Only streams have an end of their own. */
  readonly closed?: () => void;
}

export class ChangeHub {
  readonly #listeners: Set<ChangeListener> = new Set();
  readonly #waiting: Map<string, Change> = new Map();
  readonly #bus: ChangeBus | undefined;
  /** Names this process on the bus. */
  readonly #name: string | undefined;
  readonly #onBusError: (thrown: unknown) => void;
  readonly #unpublished: Map<string, Change> = new Map();
  #leaveBus: (() => void) | undefined;
  /** Streams that are open now, in all conversations. */
  streams = 0;

  /** Clients of this process are notified even if the bus fails. */
  constructor(bus?: ChangeBus, onBusError: (thrown: unknown) => void = () => undefined) {
    this.#bus = bus;
    this.#name = bus && crypto.randomUUID();
    this.#onBusError = onBusError;
  }

  join(listener: ChangeListener): void {
    this.#listeners.add(listener);
    if (listener.closed !== undefined) this.streams++;
    // The bus is subscribed to while this process has listeners.
    this.#leaveBus ??= this.#bus && this.#subscribe(this.#bus);
  }

  leave(listener: ChangeListener): void {
    if (!this.#listeners.delete(listener)) return;
    if (listener.closed !== undefined) this.streams--;
    if (this.#listeners.size > 0) return;
    const leaveBus = this.#leaveBus;
    this.#leaveBus = undefined;
    callHook(() => leaveBus?.(), this.#onBusError);
  }

  tell(change: Change): void {
    const bus = this.#bus;
    if (bus !== undefined) {
      if (this.#unpublished.size === 0) queueMicrotask(() => void this.#publish(bus));
      this.#unpublished.set(keyOf(change), change);
    }
    this.#queue(change);
  }

  /** Ends all streams. */
  close(): void {
    for (const listener of [...this.#listeners]) listener.closed?.();
  }

  #subscribe(bus: ChangeBus): () => void {
    try {
      return bus.subscribe(({ from, changes }) => {
        if (from === this.#name || !Array.isArray(changes)) return;
        // A process with a newer version may publish more kinds.
        for (const one of changes) if (isChange(one)) this.#queue(one);
      });
    } catch (thrown) {
      this.#onBusError(thrown);
      return () => undefined;
    }
  }

  async #publish(bus: ChangeBus): Promise<void> {
    const changes = [...this.#unpublished.values()];
    this.#unpublished.clear();
    try {
      await bus.publish({ from: this.#name ?? '', changes });
    } catch (thrown) {
      this.#onBusError(thrown);
    }
  }

  #queue(change: Change): void {
    if (this.#listeners.size === 0) return;
    if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
    this.#waiting.set(keyOf(change), change);
  }

  #flush(): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const listener of [...this.#listeners]) {
      try {
        for (const change of waiting) listener.onChange(change);
      } catch {
        // The transport ends a channel that cannot be written to; the other listeners are still notified.
      }
    }
  }
}

const keyOf = (change: Change): string => (change.kind === 'resource' ? `resource ${change.uri}` : change.kind);
