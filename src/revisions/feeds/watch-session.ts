/** Client: subscribes within a session. Loaded lazily, so that servers do not load it. */
import { type ChangeFilter, grantedFilter } from '../../model/change.ts';
import { onAbort } from '../../peer/wait.ts';
import type { WatchContext } from '../contract.ts';

/** Subscribes to each resource, and unsubscribes at the end. List changes are pushed without a subscription. */
export async function watchSession(filter: ChangeFilter, context: WatchContext): Promise<void> {
  const granted = grantedFilter(filter, context.server.capabilities);
  const ends: (() => Promise<void>)[] = [];
  const unsubscribe = async (): Promise<void> => {
    for (const end of ends) await end();
  };
  try {
    for (const uri of granted.resourceSubscriptions ?? []) ends.push(await context.subscribe(uri));
    await followStream(granted, context);
  } finally {
    // In the background, because a slow server must not delay the next attempt.
    void unsubscribe();
  }
}

/** Waits until the watch ends. Reports the filter as granted only once a stream is open that can carry the notifications. */
async function followStream(filter: ChangeFilter, { signal, standing, granted }: WatchContext): Promise<void> {
  let isGranted = false;
  let stop: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort(signal, () => resolve());
      stop = standing?.follow({
        opened: (isWhole) => {
          granted(filter, isGranted ? isWhole : undefined);
          isGranted = true;
        },
        ended: (reason) => {
          if (isGranted) reject(reason);
          else granted({});
        },
      });
      if (standing === undefined) granted(filter);
    });
  } finally {
    stop?.();
  }
}
