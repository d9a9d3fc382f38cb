/** Client: subscribes within a session. Servers do not load it. */
import { type ChangeFilter, grantedFilter } from '../../model/change.ts';
import type { WatchContext } from '../contract.ts';

/** List changes come by themselves; each resource is subscribed to, and unsubscribed from at the end. */
export async function watchSession(filter: ChangeFilter, context: WatchContext): Promise<void> {
  const { signal } = context;
  const granted = grantedFilter(filter, context.server.capabilities);
  const uris = granted.resourceSubscriptions ?? [];
  for (const uri of uris) await context.request('resources/subscribe', { uri }, { signal });
  context.granted(granted);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const over = new AbortController().signal;
  for (const uri of uris) await context.request('resources/unsubscribe', { uri }, { signal: over });
}
