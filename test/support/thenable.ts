/** A thenable that is not a `Promise`, as query builders return. Typed as a promise. */
export function thenable<T>(value: T | Promise<T>): Promise<T> {
  const then: Promise<T>['then'] = (done, failed) => Promise.resolve(value).then(done, failed);
  return { then } as Promise<T>; // `await` and `isPromise` need only `then`
}
