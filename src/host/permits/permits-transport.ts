/** A transport whose lines carry only what was allowed. Nothing above it has to be trusted to ask first. */
import { McpError, RpcError } from '../../errors.ts';
import {
  failure,
  INTERNAL_ERROR,
  isFailure,
  isRequest,
  isResponse,
  type Message,
  type RpcRequest,
  type RpcResponse,
} from '../../jsonrpc/message.ts';
import { Abort } from '../../peer/abort.ts';
import { type Connection, type Exchange, type Link, type Transport, whenAborted } from '../../peer/exchange.ts';
import type { Permits } from './permits.ts';
import { isRoutine, questions } from './permits-wire.ts';

/** As much of the text of a refusal as a server gets to read. */
const MAX_REFUSAL = 200;

/** The same transport for a server with this label, behind the gate that gives these permits. */
export function guardTransport(transport: Transport, server: string, permits: Permits): Transport {
  return async (inbound, session) => {
    permits.needLease(server, 'a connection');
    const line = await transport(answering(inbound, server, permits), session);
    const stop = permits.onEnd(server, () => void line.close().catch(() => undefined));
    void line.closed.then(stop);
    return { ...shared(line), exchange: sending(line.exchange, server, permits) };
  };
}

const shared = (line: Connection): Pick<Connection, 'close' | 'closed' | 'replies' | 'credentials'> => ({
  close: () => line.close(),
  closed: line.closed,
  credentials: line.credentials,
  ...(line.replies === undefined ? {} : { replies: line.replies }),
});

/** What the client sends. */
function sending(exchange: Exchange, server: string, permits: Permits): Exchange {
  return async (message, link) => {
    if (isResponse(message)) throw misplaced(server);
    const own = new GuardedLink(link, message.method, (question) => answered(question, link, { server, permits }));
    if (isRoutine(message.method, message.params)) {
      permits.needLease(server, message.method);
      return exchange(message, own);
    }
    if (!isRequest(message)) throw misplaced(server);
    const leave = permits.take(server, message);
    let response: RpcResponse | undefined;
    try {
      response = await exchange(message, own);
      return response;
    } finally {
      leave.settle(response);
    }
  };
}

/** What the client answers to what the server says of its own accord. */
function answering(inbound: Exchange, server: string, permits: Permits): Exchange {
  return async (message, link) => {
    if (!isRequest(message)) return inbound(message, link);
    return checked(message, await responseOf(inbound, message, link), { server, permits });
  };
}

/** The same for what it asks on behalf of a request of ours. */
async function answered(question: RpcRequest, link: Link, side: PermitSide): Promise<RpcResponse> {
  const response = await responseOf((_, own) => own.ask(question), question, link);
  return checked(question, response, side) ?? failure(question.id, refused());
}

interface PermitSide {
  readonly server: string;
  readonly permits: Permits;
}

/** What an answer throws is an answer too, and is looked at like any other. */
async function responseOf(exchange: Exchange, message: Message, link: Link): Promise<RpcResponse | undefined> {
  try {
    return await exchange(message, link);
  } catch (error) {
    return failure(isRequest(message) ? message.id : undefined, error);
  }
}

function checked(
  question: RpcRequest,
  response: RpcResponse | undefined,
  { server, permits }: PermitSide,
): RpcResponse | undefined {
  if (response === undefined) return undefined;
  if (isFailure(response)) {
    const { code, message } = response.error;
    return failure(question.id, new RpcError(code, message.slice(0, MAX_REFUSAL)));
  }
  const { result } = response;
  const { method, params = {} } = question;
  const empty = !questions.has(method) && Object.keys(result).length === 0;
  return empty || permits.answers(server, { method, params }, result) ? response : failure(question.id, refused());
}

const refused = (): RpcError => new RpcError(INTERNAL_ERROR, 'The answer is withheld');

const misplaced = (server: string): McpError =>
  new McpError('MCP_DENIED', {
    what: `a message to ${server}`,
    why: 'it is none that a host sends',
    rule: 'none',
    id: 'none',
  });

/** The way back for one message. Why it was called off is the caller's, and is not told. */
class GuardedLink implements Link {
  readonly #link: Link;
  readonly #abort: Abort = new Abort();
  readonly ask: Link['ask'];

  constructor(link: Link, method: string, ask: Link['ask']) {
    this.#link = link;
    this.ask = ask;
    whenAborted(link, () =>
      this.#abort.abort(new McpError('MCP_CANCELLED', { method, why: 'it is no longer wanted' })),
    );
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  onAbort(listener: (reason: unknown) => void): void {
    this.#abort.onAbort(listener);
  }

  notify(...[message]: Parameters<Link['notify']>): void {
    this.#link.notify(message);
  }

  get auth(): Link['auth'] {
    return this.#link.auth;
  }
}
