/** Client: subscribes with a long-lived request. Loaded lazily, so that servers do not load it. */
import { defined, isObject } from '../../jsonrpc/message.ts';
import type { ChangeFilter } from '../../model/change.ts';
import { ACKNOWLEDGED, LISTEN } from '../../model/names.ts';
import type { WatchContext } from '../contract.ts';
import { toChange } from './to-change.ts';

export async function watchStream(filter: ChangeFilter, context: WatchContext): Promise<void> {
  await context.listen(LISTEN, { notifications: filter }, (message) => {
    if (message.method === ACKNOWLEDGED) context.granted(readGranted(filter, message.params?.['notifications']));
    const change = toChange(message);
    if (change !== undefined) context.deliver(change);
  });
}

/** The part of the filter that the server reports as accepted. Ignores everything else that it reports. */
function readGranted(asked: ChangeFilter, reported: unknown): ChangeFilter {
  const accepted = isObject(reported) ? reported : {};
  const flag = (name: keyof ChangeFilter): true | undefined =>
    asked[name] === true && accepted[name] === true ? true : undefined;
  const uris: unknown = accepted['resourceSubscriptions'];
  const known = new Set<unknown>(Array.isArray(uris) ? uris : []);
  return defined<ChangeFilter>({
    toolsListChanged: flag('toolsListChanged'),
    promptsListChanged: flag('promptsListChanged'),
    resourcesListChanged: flag('resourcesListChanged'),
    resourceSubscriptions: known.size === 0 ? undefined : asked.resourceSubscriptions?.filter((uri) => known.has(uri)),
  });
}
