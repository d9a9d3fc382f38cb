/** Reads a server's unverified claims about itself and its tools, with the protocol's defaults. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Implementation } from '../../model/caller.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { Act } from './act.ts';

/** The server's own name and version. */
export const claimedName = (info: Implementation | undefined): string =>
  escapeUnprintable(info === undefined ? 'nothing' : `${info.name} ${info.version}`);

/** Reads a tool's hints. Without a boolean hint, the protocol's default applies: destructive and open-world. */
export function claimsOf(annotations?: unknown): Pick<Act, 'claimed' | 'assumed' | 'openWorld'> {
  const { readOnlyHint, destructiveHint, openWorldHint } = isObject(annotations) ? annotations : ({} as JsonObject);
  const openWorld = openWorldHint !== false;
  if (readOnlyHint === true) return { claimed: 'read', openWorld };
  if (typeof destructiveHint !== 'boolean') return { claimed: 'destructive', assumed: true, openWorld };
  return { claimed: destructiveHint ? 'destructive' : 'write', openWorld };
}
