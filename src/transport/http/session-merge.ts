/** What processes changed about one session at the same time, put together: nothing that either did is lost. */
import type { PeerSession } from '../../peer/session.ts';

/** Whether something was agreed on here since `base` was written. */
export const isChanged = (ours: PeerSession, base: PeerSession): boolean =>
  (ours.ready === true && base.ready !== true) ||
  ours.logLevel !== base.logLevel ||
  ours.subscriptions !== base.subscriptions;

/** `theirs`, with what was changed here since `base`. */
export function mergeSession(theirs: PeerSession, base: PeerSession, ours: PeerSession): PeerSession {
  const merged = { ...theirs };
  if (ours.ready === true) merged.ready = true;
  if (ours.logLevel !== undefined && ours.logLevel !== base.logLevel) merged.logLevel = ours.logLevel;
  if (ours.subscriptions !== undefined && ours.subscriptions !== base.subscriptions)
    merged.subscriptions = mergeLists(theirs.subscriptions, base.subscriptions, ours.subscriptions);
  return merged;
}

/** The same array where nothing is to be put together: arrays are compared by identity. */
function mergeLists(theirs: string[] = [], base: string[] = [], ours: string[] = []): string[] {
  if (theirs === base) return ours;
  const kept = theirs.filter((uri) => ours.includes(uri) || !base.includes(uri));
  const added = ours.filter((uri) => !base.includes(uri) && !kept.includes(uri));
  return added.length === 0 && kept.length === theirs.length ? theirs : [...kept, ...added];
}
