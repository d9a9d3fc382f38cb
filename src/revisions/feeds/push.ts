/** Change notifications pushed to sessions: list changes to all, updates of a resource to sessions that subscribed to it. */
import { RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, type JsonObject, notification, type RpcNotification } from '../../jsonrpc/message.ts';
import { type Change, MAX_SUBSCRIPTIONS } from '../../model/change.ts';
import { PROMPTS_CHANGED, RESOURCE_UPDATED, RESOURCES_CHANGED, TOOLS_CHANGED } from '../../model/names.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { Feeds } from '../contract.ts';

export const pushFeeds: Feeds = {
  answer(request, { session }) {
    const uri = String(request.params?.['uri']);
    if (request.method === 'resources/subscribe') return subscribe(uri, session);
    if (request.method !== 'resources/unsubscribe') return undefined;
    session.subscriptions = (session.subscriptions ?? []).filter((one) => one !== uri);
    return {};
  },
  push(change, session) {
    if (session.ready !== true) return undefined;
    if (change.kind === 'resource' && !session.subscriptions?.includes(change.uri)) return undefined;
    return toNotification(change);
  },
  watch: async (filter, context) => (await import('./watch-session.ts')).watchSession(filter, context),
};

function subscribe(uri: string, session: PeerSession): JsonObject {
  const known = session.subscriptions ?? [];
  if (known.includes(uri)) return {};
  if (known.length >= MAX_SUBSCRIPTIONS) {
    throw new RpcError(INTERNAL_ERROR, `A session holds at most ${MAX_SUBSCRIPTIONS} subscriptions`);
  }
  session.subscriptions = [...known, uri];
  return {};
}

const changedMethods = { tools: TOOLS_CHANGED, prompts: PROMPTS_CHANGED, resources: RESOURCES_CHANGED } as const;

/** Converts a change to its notification. */
export function toNotification(change: Change, meta?: JsonObject): RpcNotification {
  const tag = meta && { _meta: meta };
  if (change.kind === 'resource') return notification(RESOURCE_UPDATED, { uri: change.uri, ...tag });
  return notification(changedMethods[change.kind], tag);
}
