/** A server that is another one: whatever is said to it is passed on, and so is what comes back. */
import { McpError, RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isFailure, isRequest, type Message, type RpcResponse } from '../../jsonrpc/message.ts';
import type { Connection, Exchange, Link, Servable, ServerPush, Transport } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { Deferred } from '../../peer/wait.ts';
import { findRevision } from '../../revisions/index.ts';

export interface Proxy extends Servable {
  /** Settles when the server has gone, with the reason; undefined when we left it. */
  readonly gone: Promise<Error | undefined>;
  /** Ends the line to the server. Rejects where it could not be opened. */
  close(): Promise<void>;
}

/** For one conversation. */
export function proxyTo(transport: Transport): Proxy {
  let line: Promise<Connection> | undefined;
  const { promise: ended, resolve: gone } = new Deferred<Error | undefined>();
  return {
    gone: ended,
    open(output, session) {
      line = transport(towards(output), session);
      const opened = line;
      void opened.then((one) => one.closed).then(gone, gone);
      void ended.then(() => output.end());
      return {
        exchange: (message, link) => passedOn(opened, message, { link, session }),
        close: () => undefined,
      };
    },
    async close() {
      await (await line)?.close();
    },
  };
}

/** What the server says of its own accord. */
function towards(output: ServerPush): Exchange {
  return async (message) => {
    if (isRequest(message)) return output.ask(message);
    if ('method' in message) output.notify(message);
    return undefined;
  };
}

async function passedOn(
  line: Promise<Connection>,
  message: Message,
  { link, session }: { readonly link: Link; readonly session: PeerSession },
): Promise<RpcResponse | undefined> {
  try {
    const response = await (await line).exchange(message, link);
    if (isRequest(message) && message.method === 'initialize' && response !== undefined) agree(response, session);
    return response;
  } catch (error) {
    // What went wrong on the way is for the person who listens in as much as for the client.
    throw error instanceof McpError ? new RpcError(INTERNAL_ERROR, error.message) : error;
  }
}

/** Both lines go by what the two ends have agreed on. */
export function agree(response: RpcResponse, session: PeerSession): void {
  const version = isFailure(response) ? undefined : response.result['protocolVersion'];
  const revision = typeof version === 'string' ? findRevision(version) : undefined;
  if (revision === undefined) return;
  session.revision = revision.id;
  session.batches = revision.batches;
}
