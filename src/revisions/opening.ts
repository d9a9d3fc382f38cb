/** Client: sends the first requests on a connection, before a revision is negotiated. */
import { McpError, RpcError } from '../errors.ts';
import {
  failure,
  type JsonObject,
  METHOD_NOT_FOUND,
  type RpcRequest,
  type RpcResponse,
  resultOf,
} from '../jsonrpc/message.ts';
import { CallLink, type LinkChannel } from '../peer/call-link.ts';
import type { Connection } from '../peer/exchange.ts';

/** Until a revision is negotiated, drops notifications and rejects requests of the server. */
export const openingChannel: LinkChannel = {
  send: () => undefined,
  ask: ({ id, method }) => Promise.resolve(failure(id, new RpcError(METHOD_NOT_FOUND, `${method} comes too early`))),
};

/** A sent request. After its timeout, a late response is still recorded. */
export interface OpeningRequest {
  readonly answer: Promise<JsonObject>;
  /** The result, after the response has arrived. */
  value?: JsonObject;
  cancel(reason: Error): void;
}

export function sendOpening(connection: Connection, message: RpcRequest): OpeningRequest {
  const link = new CallLink(message, openingChannel);
  const answer = Promise.race([connection.exchange(message, link), rejectWhenClosed(connection)]).then(
    (response) => resultOf(response as RpcResponse), // for a request, an exchange responds or throws
  );
  const sent: OpeningRequest = { answer, cancel: (reason) => link.cancel(reason) };
  answer.then(
    (value) => {
      sent.value = value;
    },
    () => undefined,
  );
  return sent;
}

const rejectWhenClosed = async (connection: Connection): Promise<never> => {
  const reason = await connection.closed;
  throw reason ?? new McpError('MCP_CLOSED', { why: 'the other side ended the conversation' });
};
