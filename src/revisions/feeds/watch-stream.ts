/** Client: subscribes with a long-lived request. Loaded lazily, so that servers do not load it. */
import type { RpcNotification } from '../../jsonrpc/message.ts';
import type { ChangeFilter } from '../../model/change.ts';
import { ACKNOWLEDGED, LISTEN } from '../../model/names.ts';
import type { WatchContext } from '../contract.ts';
import { toChange } from './to-change.ts';

export async function watchStream(filter: ChangeFilter, context: WatchContext): Promise<void> {
  const { signal } = context;
  const notify = (message: RpcNotification): void => {
    if (message.method === ACKNOWLEDGED) context.granted((message.params?.['notifications'] ?? {}) as ChangeFilter); // server-reported
    const change = toChange(message);
    if (change !== undefined) context.deliver(change);
  };
  await context.request(LISTEN, { notifications: filter }, { signal, notify, standing: true });
}
