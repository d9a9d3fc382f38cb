/** The server capabilities of a view: the union of its upstreams'. */
import type { ServerCapabilities } from '../../model/caller.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { GatewayView } from './gateway-view.ts';

const listed = { listChanged: true };
/** Assumed for an upstream that is not connected yet: an empty list is valid, but a session learns capabilities only once. */
const ALL: ServerCapabilities = { tools: listed, prompts: listed, resources: listed, completions: {}, logging: {} };

export const viewCapabilities = (view: GatewayView): ServerCapabilities =>
  Object.fromEntries(Object.entries(ALL).filter(([name]) => hasCapability(view, name)));

/** Whether the view has one capability. Every request checks this, so it does not compute the others. */
export function hasCapability(view: GatewayView, name: string): boolean {
  for (const { upstream } of view.members.values())
    if ((upstream.main?.capabilities ?? ALL)[name] !== undefined) return true;
  return name === 'completions' && [...view.members.values()].some(({ upstream }) => completesUndeclared(upstream));
}

/** Whether the upstream's revision has completions without a capability, as the oldest does. */
function completesUndeclared({ main }: Upstream): boolean {
  const method = main?.revision.methods.requests.get('completion/complete');
  return method !== undefined && method.needs === undefined;
}
