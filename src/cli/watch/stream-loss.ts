/** Where changes come on a stream of their own, that can break off while the connection does not. */
import { isRequest } from '../../jsonrpc/message.ts';
import { LISTEN } from '../../model/names.ts';
import type { Exchange, Transport } from '../../peer/exchange.ts';

/** `lost` is called whenever such a stream fails that is still wanted. */
export function reportStreamLoss(transport: Transport, lost: () => void): Transport {
  return async (inbound, session) => {
    const line = await transport(inbound, session);
    const exchange: Exchange = async (message, link) => {
      try {
        return await line.exchange(message, link);
      } catch (error) {
        if (isRequest(message) && message.method === LISTEN && !link.signal.aborted) lost();
        throw error;
      }
    };
    const { closed, credentials, replies } = line;
    return { exchange, closed, credentials, close: () => line.close(), ...(replies === undefined ? {} : { replies }) };
  };
}
