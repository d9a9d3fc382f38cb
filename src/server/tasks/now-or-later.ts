/** A value or a promise of one. Continuing synchronously with a value saves event-loop turns for each task and each poll. */
export type NowOrLater<T> = T | Promise<T>;

export const whenReady = <T, R>(value: NowOrLater<T>, next: (value: T) => NowOrLater<R>): NowOrLater<R> =>
  value instanceof Promise ? value.then(next) : next(value);
