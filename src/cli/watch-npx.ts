/**
 * Notices the end of the npx that started this process: npm ends its shell on SIGTERM, and passes the signal on to no other process, so
 * that a gateway would keep running, and keep its port, without anything that could end it.
 */
import type { Clock } from '../peer/clock.ts';

const LOOK_MS = 500;

export interface NpxProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current parent: another one if the first has ended. */
  readonly ppid: number;
}

/** Calls `onEnded` after npx has ended. Does nothing in a process that npx did not start. The returned function stops watching. */
export function watchNpx(watched: NpxProcess, clock: Clock, onEnded: () => void): () => void {
  if (!isFromNpx(watched.env)) return () => undefined;
  const parent = watched.ppid;
  let stop = (): void => undefined;
  const look = (): void => {
    stop = clock.after(LOOK_MS, () => (watched.ppid === parent ? look() : onEnded()), { idle: true });
  };
  look();
  return () => stop();
}

/** Only if npx runs this command itself: then the parent, npx or its shell, waits for this process, and ends earlier only if it is killed. */
const isFromNpx = ({ npm_lifecycle_event: event, npm_lifecycle_script: script = '' }: NpxProcess['env']): boolean =>
  event === 'npx' && /^'?mooring'?$/.test(script);
