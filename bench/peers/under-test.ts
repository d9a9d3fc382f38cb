/** The child side of `Subject`: reports that it is ready, then answers commands over IPC, before and after a measurement. */
import { inspecting } from './inspecting.ts';

interface Asked {
  readonly id: number;
  readonly what: string;
  readonly about: unknown;
}
export interface ChildReply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

type Answers = Readonly<Record<string, (about: never) => unknown>>;

/** Answers until the parent disconnects. `ready` is the first message, such as a URL. */
export function underTest(ready: unknown, more: Answers = {}): void {
  const answers: Answers = { usage, heap, resident, ...inspecting(), ...more };
  process.on('message', ({ id, what, about }: Asked) => {
    const said = Promise.resolve().then(() => answers[what]?.(about as never)); // each command has its own argument
    said.then(
      (value) => process.send?.({ id, value } satisfies ChildReply),
      (error: unknown) => process.send?.({ id, error: String(error) } satisfies ChildReply),
    );
  });
  process.once('disconnect', () => process.exit());
  process.send?.({ id: 0, value: ready } satisfies ChildReply);
}

/** Microseconds of processor time of all threads. */
export function usage(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Bytes in use after garbage collection; needs `--expose-gc`. */
function heap(): number {
  // Finalizers of the first collection release objects that the second one frees.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

/** Resident bytes of the process after garbage collection, native libraries included. */
function resident(): number {
  heap();
  return process.memoryUsage.rss();
}
