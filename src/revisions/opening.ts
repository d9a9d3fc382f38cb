/** Requests on a new connection, before a revision is agreed on. */
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

/** Until both sides have agreed on a revision, notifications are dropped and requests of the server are rejected. */
export const openingChannel: LinkChannel = {
  send: () => undefined,
  ask: ({ id, method }) => Promise.resolve(failure(id, new RpcError(METHOD_NOT_FOUND, `${method} comes too early`))),
};

/** A request that can be cancelled, and can still be answered after that. */
export interface OpeningRequest {
  readonly answer: Promise<JsonObject>;
  /** The answer, once it is there. */
  value?: JsonObject;
  cancel(reason: Error): void;
}

export function sendOpening(connection: Connection, message: RpcRequest): OpeningRequest {
  const link = new CallLink(message, openingChannel);
  const answer = Promise.race([connection.exchange(message, link), rejectWhenClosed(connection)]).then(
    (response) => resultOf(response as RpcResponse), // a request is answered, or the exchange throws
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
