/** A lock that one tab of the browser holds at a time. */
import { useEffect, useState } from 'preact/hooks';

export interface TabLock {
  /** Undefined until the browser has said whether another tab holds the lock. */
  readonly isHeld: boolean | undefined;
  /** Takes the lock from another tab. */
  take(): void;
}

/** Requests the lock as long as the component is mounted. */
export function useTabLock(name: string): TabLock {
  const [isHeld, setHeld] = useState<boolean>();
  const [takes, setTakes] = useState(0);
  useEffect(() => {
    const unmounted = new AbortController();
    void holdLock(name, takes > 0, unmounted.signal, setHeld);
    return () => unmounted.abort();
  }, [name, takes]);
  return { isHeld, take: () => setTakes(takes + 1) };
}

/** Holds the lock until `signal` aborts, and waits for it again if another tab takes it. */
async function holdLock(
  name: string,
  takes: boolean,
  signal: AbortSignal,
  onChange: (isHeld: boolean) => void,
): Promise<void> {
  // Browsers have locks on pages from loopback and over TLS only; elsewhere each tab goes without.
  if (!('locks' in navigator)) return onChange(true);
  const hold = (lock: Lock | null): Promise<void> | undefined => {
    if (lock === null || signal.aborted) return undefined;
    onChange(true);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  let options: LockOptions = takes ? { steal: true } : { ifAvailable: true };
  while (!signal.aborted) {
    // Rejects if another tab takes the lock, or if `signal` aborts.
    await navigator.locks.request(name, options, hold).catch(() => undefined);
    if (!signal.aborted) onChange(false);
    options = { signal };
  }
}
