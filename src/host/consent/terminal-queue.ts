/** Questions on a terminal take turns: two at once would take each other's answers. */
import type { Readable } from 'node:stream';

/** The queue belongs to the terminal, so that another copy of this package waits in the same one. */
const queue: unique symbol = Symbol.for('mooring.terminal');

/** Runs when all earlier questions on this input are answered. */
export function queueOnTerminal<T>(
  input: Readable & { [queue]?: Promise<unknown> },
  run: () => Promise<T>,
): Promise<T> {
  const turn = (input[queue] ?? Promise.resolve()).then(run);
  input[queue] = turn.catch(() => undefined);
  return turn;
}
