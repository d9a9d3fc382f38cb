/** The server capabilities of a view: the union of its upstreams'. */
import type { ServerCapabilities } from '../../model/caller.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { GatewayView } from './gateway-view.ts';

/** Assumed for an upstream that is not connected yet: an empty list is valid, but a session learns capabilities only once. */
const ALL: ServerCapabilities = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };

export function viewCapabilities(view: GatewayView): ServerCapabilities {
  const has = (name: string): boolean => hasCapability(view, name);
  const listed = { listChanged: true };
  return {
    ...(has('tools') ? { tools: listed } : {}),
    ...(has('prompts') ? { prompts: listed } : {}),
    ...(has('resources') ? { resources: listed } : {}),
    ...(has('completions') ? { completions: {} } : {}),
    ...(has('logging') ? { logging: {} } : {}),
  };
}

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
