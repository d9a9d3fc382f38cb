/** What the server says of its own accord: questions, news, log messages. */
import { RpcError } from '../errors.ts';
import {
  failure,
  INVALID_REQUEST,
  isNotification,
  isRequest,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  success,
} from '../jsonrpc/message.ts';
import type { Change } from '../model/change.ts';
import { isLoggingLevel } from '../model/logging.ts';
import { ELICITATION_COMPLETE, MESSAGE } from '../model/names.ts';
import type { Exchange, Link } from '../peer/exchange.ts';
import { toChange } from '../revisions/feeds/push.ts';
import { findRevision } from '../revisions/index.ts';
import type { Peer } from './connection.ts';
import type { ClientSettings } from './options.ts';
import type { CallContext } from './outgoing-call.ts';
import type { PendingVisits } from './pending-visits.ts';
import type { QuestionHandlers } from './question-handlers.ts';

export interface InboundContext {
  readonly answers: QuestionHandlers;
  readonly settings: ClientSettings;
  readonly traffic: CallContext;
  readonly visits: PendingVisits;
  onChange(news: Change): void;
}

/** The way in for one line. */
export function createInbound(peer: Peer, ears: InboundContext): Exchange {
  return async (message, link) => {
    if (isNotification(message)) handleNotification(message, ears);
    if (!isRequest(message)) return undefined;
    // Where requests introduce themselves, servers have none of their own, and clients never answer.
    if (peer.live?.revision.lifecycle.handshake === false) {
      ears.settings.warnings.once(`The server sent a request (${message.method}), which its revision forbids`);
      return undefined;
    }
    return message.method === 'ping' ? success(message.id, {}) : answerQuestion(message, link, { peer, ears });
  };
}

async function answerQuestion(
  { id, method, params = {} }: RpcRequest,
  link: Link,
  { peer, ears }: { readonly peer: Peer; readonly ears: InboundContext },
): Promise<RpcResponse> {
  const { answers, traffic, settings, visits } = ears;
  const revision = findRevision(peer.session.revision ?? '');
  if (revision === undefined) return failure(id, new RpcError(INVALID_REQUEST, 'Not before the handshake has ended'));
  const context = {
    get signal(): AbortSignal {
      return link.signal;
    },
    server: peer.live?.server ?? { capabilities: {} },
  };
  try {
    const answering = answers.answer({ method, params, revision, context, visits });
    return success(id, await traffic.pause.during(answering));
  } catch (error) {
    if (!(error instanceof RpcError)) settings.warnings.warn(`${method} could not be answered: ${String(error)}`);
    return failure(id, error);
  }
}

/** Unknown notifications are ignored, and so is a server that says it is initialized. */
function handleNotification(message: RpcNotification, { settings, visits, onChange: news }: InboundContext): void {
  const { method, params = {} } = message;
  if (method === MESSAGE) {
    const { level, logger, data } = params;
    const { onLog, warnings } = settings;
    if (onLog === undefined || !isLoggingLevel(level)) return;
    warnings.guard('onLog', () => onLog({ level, ...(typeof logger === 'string' ? { logger } : {}), data }));
  } else if (method === ELICITATION_COMPLETE) visits.complete(params['elicitationId']);
  else {
    const told = toChange(message);
    if (told !== undefined) news(told);
  }
}
