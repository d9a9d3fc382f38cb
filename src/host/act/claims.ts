/** What a server says of itself and of its tools, with the protocol's defaults for what it does not say. */
import type { Implementation } from '../../model/caller.ts';
import type { ToolAnnotations } from '../../model/parts.ts';
import { escapeUnprintable } from '../text/invisible.ts';
import type { Act } from './act.ts';

/** What it calls itself. Unverified. */
export const claimedName = (info: Implementation | undefined): string =>
  escapeUnprintable(info === undefined ? 'nothing' : `${info.name} ${info.version}`);

/** Believed only where a rule trusts the server. A tool without annotations counts as destructive and open. */
export function claimsOf(annotations: ToolAnnotations = {}): Pick<Act, 'claimed' | 'assumed' | 'openWorld'> {
  const { readOnlyHint = false, destructiveHint, openWorldHint: openWorld = true } = annotations;
  if (readOnlyHint) return { claimed: 'read', openWorld };
  if (destructiveHint === undefined) return { claimed: 'destructive', assumed: true, openWorld };
  return { claimed: destructiveHint ? 'destructive' : 'write', openWorld };
}
