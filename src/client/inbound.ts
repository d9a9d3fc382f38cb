/** Handles the server's requests and notifications: questions, changes, log messages. */
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
import { readLogMessage } from '../model/logging.ts';
import { ELICITATION_COMPLETE, MESSAGE } from '../model/names.ts';
import { relatedTaskOf } from '../model/related-task.ts';
import type { Exchange, Link } from '../peer/exchange.ts';
import { untilAborted } from '../peer/wait.ts';
import { toChange } from '../revisions/feeds/to-change.ts';
import { findRevision } from '../revisions/index.ts';
import type { Peer } from './live-connection.ts';
import type { ClientSettings } from './options.ts';
import type { QuestionHandlers } from './question-handlers.ts';
import type { Requests } from './requests.ts';

interface InboundParts {
  readonly settings: ClientSettings;
  readonly questions: QuestionHandlers;
  readonly requests: Requests;
  onChange(change: Change): void;
}

/** Makes the handler of the server's messages on one connection. */
export function createInbound(peer: Peer, parts: InboundParts): Exchange {
  return async (message, link) => {
    if (isNotification(message)) handleNotification(message, parts);
    if (!isRequest(message)) return undefined;
    if (peer.live?.revision.hasServerRequests === false) {
      // Revisions that forbid server requests also forbid clients to respond.
      parts.settings.warnings.once(
        `The server sent a request (${JSON.stringify(message.method)}), which its revision forbids`,
      );
      return undefined;
    }
    return message.method === 'ping' ? success(message.id, {}) : answerQuestion(message, link, peer, parts);
  };
}

async function answerQuestion(
  { id, method, params = {} }: RpcRequest,
  link: Link,
  peer: Peer,
  parts: InboundParts,
): Promise<RpcResponse> {
  const { settings, questions, requests } = parts;
  const revision = findRevision(peer.session.revision ?? '');
  if (revision === undefined) return failure(id, new RpcError(INVALID_REQUEST, 'The handshake has not ended yet'));
  const task = relatedTaskOf(params);
  const context = {
    get signal(): AbortSignal {
      return link.signal;
    },
    server: peer.live?.server ?? { capabilities: {} },
    ...(typeof task === 'string' ? { task } : {}),
  };
  try {
    const { ask, capabilities } = requests.answersFor(link.of);
    const answer = questions.answer({ method, params, revision, context, ask, capabilities });
    // The server can cancel its question before the handler returns: deadlines must not stay paused for it.
    return success(id, await settings.pause.during(untilAborted(answer, link.signal)));
  } catch (error) {
    if (!(error instanceof RpcError) && !link.signal.aborted)
      settings.warnings.warn(`${method} could not be answered: ${String(error)}`);
    return failure(id, error);
  }
}

/** Ignores unknown notifications. */
function handleNotification(message: RpcNotification, { settings, questions, onChange }: InboundParts): void {
  const { method, params = {} } = message;
  if (method === MESSAGE) {
    const { onLog, warnings } = settings;
    const log = onLog && readLogMessage(params);
    if (onLog !== undefined && log !== undefined) warnings.guard('onLog', () => onLog(log));
  } else if (method === ELICITATION_COMPLETE) questions.completeVisit(params['elicitationId']);
  else {
    const change = toChange(message);
    if (change !== undefined) onChange(change);
  }
}
