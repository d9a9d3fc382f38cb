/** Promises that end with a timeout or an abort signal. */
import type { Clock } from './clock.ts';

/** Resolves with undefined if the promise has not settled after `ms`. */
export function withTimeout<T>(ms: number, clock: Clock, promise: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => resolve(undefined));
    promise.then(resolve, reject).finally(stop);
  });
}

/** All our listeners of one signal, behind one event listener: Node warns of a leak above ten, and many calls can share a signal. */
interface AbortListeners extends EventListenerObject {
  readonly all: Set<() => void>;
}

const listenersOf: WeakMap<AbortSignal, AbortListeners> = new WeakMap();

/** Calls the listener when the signal aborts, or at once if it has. The returned function removes the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal === undefined) return () => undefined;
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  const listeners: AbortListeners = listenersOf.get(signal) ?? {
    all: new Set(),
    handleEvent() {
      for (const one of this.all) one();
    },
  };
  if (listeners.all.size === 0) {
    listenersOf.set(signal, listeners);
    signal.addEventListener('abort', listeners, { once: true });
  }
  listeners.all.add(listener);
  return () => {
    if (listeners.all.delete(listener) && listeners.all.size === 0) signal.removeEventListener('abort', listeners);
  };
}

/** Resolves when the signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => void onAbort(signal, () => resolve()));

/** Rejects with the signal's reason as soon as it aborts. Does not stop the work behind the promise. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    promise.then(resolve, reject).finally(onAbort(signal, abort));
  });
}

/** Resolves after a time, or rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  let stop = (): void => undefined;
  const slept = new Promise<void>((resolve) => {
    stop = clock.after(ms, resolve);
  });
  return untilAborted(slept, signal).finally(stop);
}

/** A signal that aborts as soon as one of the given signals does. */
export const joinSignals = (...signals: readonly (AbortSignal | undefined)[]): AbortSignal =>
  AbortSignal.any(signals.filter((signal) => signal !== undefined));

/** A promise that is settled from outside. */
export class Deferred<T> {
  resolve: (value: T | PromiseLike<T>) => void = () => undefined;
  reject: (reason: unknown) => void = () => undefined;
  readonly promise: Promise<T> = new Promise((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}
