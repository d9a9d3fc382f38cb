/** A server that forwards all messages to another server, and its responses back. */
import { McpError, RpcError } from '../../errors.ts';
import { INTERNAL_ERROR, isFailure, isRequest, type Message, type RpcResponse } from '../../jsonrpc/message.ts';
import type { Connection, Exchange, Link, Servable, ServerPush, Transport } from '../../peer/exchange.ts';
import type { PeerSession } from '../../peer/session.ts';
import { Deferred } from '../../peer/wait.ts';
import { findRevision } from '../../revisions/index.ts';

export interface Proxy extends Servable {
  /** Resolves when the connection to the server is closed: with the reason, or undefined if we closed it. */
  readonly closed: Promise<Error | undefined>;
  /** Closes the connection to the server. Rejects if it could not be opened. */
  close(): Promise<void>;
}

/** Supports a single conversation. */
export function proxyTo(transport: Transport): Proxy {
  let connection: Promise<Connection> | undefined;
  const { promise: closed, resolve: onClosed } = new Deferred<Error | undefined>();
  return {
    closed,
    open(output, session) {
      const opened = transport(forwardTo(output), session);
      connection = opened;
      void opened.then((one) => one.closed).then(onClosed, onClosed);
      void closed.then(() => output.end());
      return {
        exchange: (message, link) => forward(opened, message, { link, session }),
        close: () => undefined,
      };
    },
    async close() {
      await (await connection)?.close();
    },
  };
}

/** Forwards requests and notifications of the server to the client. */
function forwardTo(output: ServerPush): Exchange {
  return async (message) => {
    if (isRequest(message)) return output.ask(message);
    if ('method' in message) output.notify(message);
    return undefined;
  };
}

async function forward(
  connection: Promise<Connection>,
  message: Message,
  { link, session }: { readonly link: Link; readonly session: PeerSession },
): Promise<RpcResponse | undefined> {
  try {
    const response = await (await connection).exchange(message, link);
    if (isRequest(message) && message.method === 'initialize' && response !== undefined)
      adoptRevision(response, session);
    return response;
  } catch (error) {
    // Keeps the message of a transport error: it helps the user of the trace as much as the client.
    throw error instanceof McpError ? new RpcError(INTERNAL_ERROR, error.message) : error;
  }
}

/** Applies the negotiated revision to the session, so that both connections encode messages for it. */
export function adoptRevision(response: RpcResponse, session: PeerSession): void {
  const version = isFailure(response) ? undefined : response.result['protocolVersion'];
  const revision = typeof version === 'string' ? findRevision(version) : undefined;
  if (revision === undefined) return;
  session.revision = revision.id;
  session.batches = revision.batches;
}
