/**
 * The side of the process under test: it says when it is ready, and then answers what the bench asks over the channel between
 * processes. The bench asks only before and after what it measures.
 */
import { inspecting } from './inspecting.ts';

interface Asked {
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
  const answers: Answers = { usage, heap, resident, ...inspecting(), ...more };
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

/** Bytes that the process has from the system, those of native libraries among them, after a thorough collection. */
function resident(): number {
  heap();
  return process.memoryUsage.rss();
}
