/** What a view offers: what any of its upstreams has, or may turn out to have. */
import type { ServerCapabilities } from '../../model/caller.ts';
import type { GatewayView } from './gateway-view.ts';

/** An upstream that was not met yet can have everything: an empty list is allowed, and a session hears capabilities only once. */
const ALL: ServerCapabilities = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} };

export function viewCapabilities(view: GatewayView): ServerCapabilities {
  const all = [...view.members.values()].map(({ upstream }) => upstream.met?.capabilities ?? ALL);
  const has = (name: string): boolean => all.some((one) => one[name] !== undefined);
  const listed = { listChanged: true };
  return {
    ...(has('tools') ? { tools: listed } : {}),
    ...(has('prompts') ? { prompts: listed } : {}),
    ...(has('resources') ? { resources: listed } : {}),
    // The oldest revision completes without saying so.
    ...(has('completions') || view.hasUndeclaredCompletion ? { completions: {} } : {}),
    ...(has('logging') ? { logging: {} } : {}),
  };
}
