/** What a process that exists for one conversation does about signals, a vanished parent and its own end. */
import process from 'node:process';
import type { Clock } from '../peer/clock.ts';

/** How often to look whether the parent is still there. */
const PARENT_MS = 2000;
/** How long the process may go on after the conversation, before it is made to exit. */
const LINGER_MS = 500;

/** Watches until the returned function is called; that lets the process exit, and makes it exit if it does not. */
export function watchProcess(clock: Clock, end: (why: string) => void): () => void {
  const onSignal = (signal: string): void => end(`the process got a signal to end (${signal})`);
  // Once: the second signal ends the process at once, as it always does.
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
  const unwatch = watchParent(clock, () => end('the process that started this one is gone'));
  return () => {
    process.off('SIGTERM', onSignal);
    process.off('SIGINT', onSignal);
    unwatch();
    process.stdin.destroy();
    clock.after(LINGER_MS, () => process.exit(), { idle: true });
  };
}

/**
 * A parent can die and leave the pipe open in other hands; then the end of input never comes. The timer also keeps the process
 * alive while requests are being answered and nothing is left to read.
 */
function watchParent(clock: Clock, gone: () => void): () => void {
  const parent = process.ppid;
  const look = (): void => {
    if (process.ppid !== parent) gone();
    cancel = clock.after(PARENT_MS, look);
  };
  let cancel = clock.after(PARENT_MS, look);
  return () => cancel();
}
