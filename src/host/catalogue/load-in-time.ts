/** Loads a list, and stops waiting for a server that is slow; while the user is asked about it, later. */
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { ItemKind } from './item.ts';
import type { ServerListing } from './server-listing.ts';

/** A server that has not answered by then is listed with what is known of it. */
export const LIST_TIMEOUT_MS = 5_000;
/** The same, while the user is asked whether the server can be opened. */
const CONSENT_TIMEOUT_MS = 300_000;

/** Whether the list was loaded, or has failed, in time. Failures are among the problems of the listing. */
export async function loadInTime(listing: ServerListing, kind: ItemKind, clock: Clock): Promise<boolean> {
  const { server } = listing;
  // A list that is still being loaded is not waited for a second time.
  const since = listing.loadingSince(kind) ?? clock.now();
  const left = (deadline: number): number => Math.max(0, since + deadline - clock.now());
  const loaded = listing.load(kind, { retry: false }).then(isTrue, isTrue);
  let inTime = await withTimeout(left(LIST_TIMEOUT_MS), clock, loaded);
  for (let asking = server.asking; inTime !== true && asking && left(CONSENT_TIMEOUT_MS) > 0; ) {
    asking = server.asking;
    inTime = await withTimeout(LIST_TIMEOUT_MS, clock, loaded);
  }
  return inTime === true;
}

const isTrue = (): true => true;
