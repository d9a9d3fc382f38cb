/** What is there, or comes: going on at once with what is there spares each task and each poll some turns. */
export type NowOrLater<T> = T | Promise<T>;

export const whenReady = <T, R>(value: NowOrLater<T>, next: (value: T) => NowOrLater<R>): NowOrLater<R> =>
  value instanceof Promise ? value.then(next) : next(value);
