/** Client: subscribes within a session. Loaded lazily, so that servers do not load it. */
import { type ChangeFilter, grantedFilter } from '../../model/change.ts';
import { onAbort } from '../../peer/wait.ts';
import type { WatchContext } from '../contract.ts';

/** Subscribes to each resource, and unsubscribes at the end. List changes are pushed without a subscription. */
export async function watchSession(filter: ChangeFilter, context: WatchContext): Promise<void> {
  const { signal } = context;
  const granted = grantedFilter(filter, context.server.capabilities);
  const uris = granted.resourceSubscriptions ?? [];
  for (const uri of uris) await context.request('resources/subscribe', { uri }, { signal });
  await followStream(granted, context);
  // The watch's own signal has aborted by now.
  const neverAborts = new AbortController().signal;
  for (const uri of uris) await context.request('resources/unsubscribe', { uri }, { signal: neverAborts });
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
