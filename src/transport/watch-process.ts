/** For a process that serves one conversation: ends it on a signal or when the parent process is gone, and then exits. */
import process from 'node:process';
import type { Clock } from '../peer/clock.ts';

/** Interval of the check that the parent process is alive. */
const PARENT_MS = 2000;
/** How long the process can continue after the conversation before it is forced to exit. */
const LINGER_MS = 500;

/** Watches until the returned function is called. That one lets the process exit, and forces it to after `LINGER_MS`. */
export function watchProcess(clock: Clock, end: (why: string) => void): () => void {
  const onSignal = (signal: string): void => end(`the process got a signal to end (${signal})`);
  // `once`, so that a second signal has its default effect and kills the process.
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
 * Polls the parent's process id: if the parent dies while another process holds the pipe open, the input never ends. The timer
 * also keeps this process alive while requests are open after the end of input.
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
