/** Whoever asks on a terminal takes turns with everybody else who does: two questions at once would take each other's answers. */
import type { Readable } from 'node:stream';

/** The queue belongs to the terminal: what was made apart, or by another copy of this package, waits in the same one. */
const queue: unique symbol = Symbol.for('mooring.terminal');

/** Runs when everything is over that was to be asked on this input before. */
export function queueOnTerminal<T>(
  input: Readable & { [queue]?: Promise<unknown> },
  run: () => Promise<T>,
): Promise<T> {
  const turn = (input[queue] ?? Promise.resolve()).then(run);
  input[queue] = turn.catch(() => undefined);
  return turn;
}
