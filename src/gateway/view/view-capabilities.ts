/** What a view offers: what any of its upstreams has, or may turn out to have. */
import type { ServerCapabilities } from '../../model/caller.ts';
import type { Upstream } from '../upstreams/upstream.ts';
import type { GatewayView } from './gateway-view.ts';

/** An upstream that is not connected yet can have everything: an empty list is allowed, and a session hears capabilities only once. */
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

/** Whether the view offers this one: what every request asks, so that the others are not looked at. */
export function hasCapability(view: GatewayView, name: string): boolean {
  for (const { upstream } of view.members.values())
    if ((upstream.main?.capabilities ?? ALL)[name] !== undefined) return true;
  return name === 'completions' && [...view.members.values()].some(({ upstream }) => completesUndeclared(upstream));
}

/** Whether an upstream can complete without declaring it, as the oldest revision does. */
function completesUndeclared({ main }: Upstream): boolean {
  const method = main?.revision.methods.requests.get('completion/complete');
  return method !== undefined && method.needs === undefined;
}
