/** Client: subscribes within a session. Servers do not load it. */
import { type ChangeFilter, grantedFilter } from '../../model/change.ts';
import { onAbort } from '../../peer/wait.ts';
import type { WatchContext } from '../contract.ts';

/** List changes come by themselves; each resource is subscribed to, and unsubscribed from at the end. */
export async function watchSession(filter: ChangeFilter, context: WatchContext): Promise<void> {
  const { signal } = context;
  const granted = grantedFilter(filter, context.server.capabilities);
  const uris = granted.resourceSubscriptions ?? [];
  for (const uri of uris) await context.request('resources/subscribe', { uri }, { signal });
  await followStream(granted, context);
  const over = new AbortController().signal;
  for (const uri of uris) await context.request('resources/unsubscribe', { uri }, { signal: over });
}

/** Until the watch is over. What a server declares is granted only while there is a stream on which it can come. */
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
