/** What a server says its tool does to the world, with the protocol's defaults for what it does not say. */
import type { ToolAnnotations } from '../model/tool.ts';
import type { Act } from './act.ts';

/** Believed only where a rule trusts the server. Whoever says nothing may destroy things, anywhere. */
export function claimsOf(annotations: ToolAnnotations = {}): Pick<Act, 'claimed' | 'openWorld'> {
  const { readOnlyHint = false, destructiveHint = true, openWorldHint = true } = annotations;
  const claimed = readOnlyHint ? 'read' : destructiveHint ? 'destructive' : 'write';
  return { claimed, openWorld: openWorldHint };
}
