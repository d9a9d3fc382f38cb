/** Layers around a connection that stop every message that no open lease allows. */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  isFailure,
  isRequest,
  isResponse,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import { type Layer, type Link, linkWith, type Transport, whenAborted } from '../../peer/exchange.ts';
import { connectionWith } from '../../peer/layer-transport.ts';
import { answerKinds, isRoutine } from './act-messages.ts';
import { denial, type Leases } from './leases.ts';

/** Maximum length of an error text that is sent to a server. */
const MAX_ERROR_TEXT = 200;

/** Wraps the transport of a server, so that its connections send nothing without a lease. */
export function leaseTransport(transport: Transport, server: string, leases: Leases): Transport {
  return async (inbound, session) => {
    leases.requireOpen(server, 'a connection');
    const connection = await transport(answerLayer(server, leases)(inbound), session);
    const stop = leases.onEnd(server, () => void connection.close().catch(() => undefined));
    void connection.closed.then(stop);
    return connectionWith(connection, leaseLayer(server, leases)(connection.exchange));
  };
}

const noMethod = { method: '', params: undefined } as const;

/** Checks the requests and notifications that the host sends. */
export function leaseLayer(server: string, leases: Leases): Layer {
  return (next) => async (message, link) => {
    const { method, params } = isResponse(message) ? noMethod : message;
    const guardedLink = linkWith(link, {
      signal: withoutReason(link, method),
      ask: async (question, over) =>
        checkAnswer(question, await answerOf(question, () => link.ask(question, over)), { server, leases }),
    });
    if (isRoutine(method, params)) {
      leases.requireOpen(server, method);
      return next(message, guardedLink);
    }
    if (!isRequest(message)) throw denial('a message', server, 'a host does not send this kind of message');
    const settle = leases.admit(server, message);
    let response: RpcResponse | undefined;
    try {
      response = await next(message, guardedLink);
      return response;
    } finally {
      settle(response);
    }
  };
}

/** Checks the host's responses to requests of the server. */
export function answerLayer(server: string, leases: Leases): Layer {
  return (next) => async (message, link) => {
    if (!isRequest(message)) return next(message, link);
    const response = await answerOf(message, () => next(message, link));
    return response === undefined ? undefined : checkAnswer(message, response, { server, leases });
  };
}

/** Turns an exception of a handler into an error response, which is then checked like any other. */
async function answerOf<R extends RpcResponse | undefined>(
  { id }: RpcRequest,
  answer: () => Promise<R>,
): Promise<R | RpcResponse> {
  try {
    return await answer();
  } catch (error) {
    return failure(id, error);
  }
}

function checkAnswer(
  { id, method, params = {} }: RpcRequest,
  response: RpcResponse,
  { server, leases }: { readonly server: string; readonly leases: Leases },
): RpcResponse {
  if (isFailure(response)) {
    const { code, message } = response.error;
    return failure(id, new RpcError(code, message.slice(0, MAX_ERROR_TEXT)));
  }
  const { result } = response;
  const isEmpty = !answerKinds.has(method) && Object.keys(result).length === 0;
  if (isEmpty || leases.useAnswer(server, { method, params }, result)) return response;
  return failure(id, new RpcError(INTERNAL_ERROR, 'The answer was not permitted'));
}

/** A signal that aborts without the caller's reason: that is free text, which no audit record covers. */
function withoutReason(link: Link, method: string): AbortSignal {
  const control = new AbortController();
  whenAborted(link, () => control.abort(new McpError('MCP_CANCELLED', { method, why: 'the caller cancelled it' })));
  return control.signal;
}
