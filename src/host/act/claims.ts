/** What a server says of itself and of its tools, with the protocol's defaults for what it does not say. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { Act } from './act.ts';

/** What it calls itself. Unverified. */
export const claimedName = (info: Implementation | undefined): string =>
  escapeUnprintable(info === undefined ? 'nothing' : `${info.name} ${info.version}`);

/**
 * Believed only where a rule trusts the server. A tool without annotations counts as destructive and open, and a hint that is neither
 * true nor false says nothing.
 */
export function claimsOf(annotations?: unknown): Pick<Act, 'claimed' | 'assumed' | 'openWorld'> {
  const { readOnlyHint, destructiveHint, openWorldHint } = isObject(annotations) ? annotations : ({} as JsonObject);
  const openWorld = openWorldHint !== false;
  if (readOnlyHint === true) return { claimed: 'read', openWorld };
  if (typeof destructiveHint !== 'boolean') return { claimed: 'destructive', assumed: true, openWorld };
  return { claimed: destructiveHint ? 'destructive' : 'write', openWorld };
}
