/** Change notifications on the stream of a `subscriptions/listen` request, which stays open until either side ends it. */
import { RpcError } from '../../errors.ts';
import { INVALID_PARAMS, type JsonObject, notification, type RpcRequest } from '../../jsonrpc/message.ts';
import { type ChangeFilter, filterCovers, grantedFilter, MAX_SUBSCRIPTIONS } from '../../model/change.ts';
import { ACKNOWLEDGED, LISTEN, SUBSCRIPTION_ID } from '../../model/names.ts';
import { whenAborted } from '../../peer/exchange.ts';
import type { FeedContext, Feeds } from '../contract.ts';
import { toNotification } from './push.ts';

export const listenFeeds: Feeds = {
  answer: (request, context) => (request.method === LISTEN ? listen(request, context) : undefined),
  push: () => undefined,
  watch: async (filter, context) => (await import('./watch-stream.ts')).watchStream(filter, context),
};

function listen(request: RpcRequest, context: FeedContext): Promise<JsonObject> {
  const asked = request.params?.['notifications'] as ChangeFilter; // checked by listenParams
  if ((asked.resourceSubscriptions?.length ?? 0) > MAX_SUBSCRIPTIONS) {
    throw new RpcError(INVALID_PARAMS, `A subscription watches at most ${MAX_SUBSCRIPTIONS} resources`);
  }
  const granted = grantedFilter(asked, context.capabilities);
  // The subscription id is the request id, with the same JSON type.
  const tag = { [SUBSCRIPTION_ID]: request.id };
  const { link } = context;
  link.notify(notification(ACKNOWLEDGED, { notifications: granted, _meta: tag }));
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      resolve({ _meta: tag });
    };
    const stop = context.changes.subscribe((change) => {
      if (filterCovers(granted, change)) link.notify(toNotification(change, tag));
    }, end);
    whenAborted(link, end);
  });
}
