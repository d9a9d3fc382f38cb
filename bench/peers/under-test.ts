/**
 * The side of the process under test: it says when it is ready, and then answers what the bench asks over the channel between
 * processes. The bench asks only before and after what it measures.
 */
import type { Session } from 'node:inspector';

export interface Asked {
  readonly id: number;
  readonly what: string;
  readonly about: unknown;
}
export interface Told {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

type Answers = Readonly<Record<string, (about: never) => unknown>>;

/** Answers until the bench has gone. `ready` is what it must know first, such as an address. */
export function underTest(ready: unknown, more: Answers = {}): void {
  const answers: Answers = { usage, heap, ...coverage(), ...more };
  process.on('message', ({ id, what, about }: Asked) => {
    const said = Promise.resolve().then(() => answers[what]?.(about as never)); // each knows what it is asked
    said.then(
      (value) => process.send?.({ id, value } satisfies Told),
      (error: unknown) => process.send?.({ id, error: String(error) } satisfies Told),
    );
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ id: 0, value: ready } satisfies Told);
}

/** Microseconds of processor time, of all threads. */
export function usage(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Bytes in use after a thorough collection; needs `--expose-gc`. */
function heap(): number {
  // What the first finds to be free may hold on to something that the second then finds.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Calls of JavaScript functions, Node's own among them, as V8 counts them. */
function coverage(): Answers {
  let session: Session | undefined;
  return {
    async startCounting() {
      const { Session } = await import('node:inspector');
      session = new Session();
      session.connect();
      await post(session, 'Profiler.enable');
      await post(session, 'Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    },
    /** Since the last time it was asked. */
    async counted(): Promise<Counted[]> {
      if (session === undefined) throw new Error('Nobody counts');
      const { result } = (await post(session, 'Profiler.takePreciseCoverage')) as Taken; // the inspector's own format
      return result.flatMap(({ url, functions }) =>
        functions.map(({ functionName, ranges: [range] }) => ({ url, name: functionName, calls: range?.count ?? 0 })),
      );
    },
  };
}

export interface Counted {
  /** The file, `node:` and a name for Node's own. */
  readonly url: string;
  readonly name: string;
  readonly calls: number;
}

interface Taken {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

const post = (session: Session, method: string, params: object = {}): Promise<object> =>
  new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => (error === null ? resolve(result ?? {}) : reject(error)));
  });
