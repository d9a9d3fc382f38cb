/** Loads a list with a timeout, which is longer while the user is asked for consent. */
import type { Clock } from '../../peer/clock.ts';
import { withTimeout } from '../../peer/wait.ts';
import type { ItemKind } from './item.ts';
import type { ServerListing } from './server-listing.ts';

/** After this timeout, the catalogue shows the cached list of a server. */
export const LIST_TIMEOUT_MS = 5_000;
/** The timeout while the user is asked whether to open the server. */
const CONSENT_TIMEOUT_MS = 300_000;

/** Resolves with false on a timeout. A failure counts as in time; `listing.problems()` reports it. */
export async function loadInTime(listing: ServerListing, kind: ItemKind, clock: Clock): Promise<boolean> {
  const { server } = listing;
  // Measures from the start of a load in progress, so that each caller does not wait for the full timeout again.
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
