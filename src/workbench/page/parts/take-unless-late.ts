/** For effects: calls `take` with the result, unless the effect was cleaned up before. Ignores failures. Returns the cleanup. */
export function takeUnlessLate<T>(promise: Promise<T>, take: (result: T) => void): () => void {
  let isCleanedUp = false;
  void promise.then(
    (result) => void (!isCleanedUp && take(result)),
    () => undefined,
  );
  return () => {
    isCleanedUp = true;
  };
}
