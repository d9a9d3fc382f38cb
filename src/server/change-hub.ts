/** Notifies all open conversations of changes, and other processes over a bus. Equal changes within one event-loop turn are sent once. */
import { type Change, isChange } from '../model/change.ts';
import { callHook } from '../peer/call-hook.ts';
import type { ChangeBus } from './change-bus.ts';

export interface ChangeListener {
  onChange(change: Change): void;
  /** Called when the server closes. Only streams have it. */
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
    // Subscribes to the bus only while this process has listeners.
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

  /** Notifies the listeners in this process, and other processes. */
  notify(change: Change): void {
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
        // Ignores kinds that only a newer version knows.
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
