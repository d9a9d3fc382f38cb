/** A thenable that is no `Promise`, as query builders return: it has `then`, and nothing else. Typed as what it stands for. */
export function thenable<T>(value: T | Promise<T>): Promise<T> {
  const then: Promise<T>['then'] = (done, failed) => Promise.resolve(value).then(done, failed);
  return { then } as Promise<T>; // `await` and `isPromise` need no more of it
}
