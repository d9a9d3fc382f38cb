/** The session lifecycle: client and server introduce themselves once, with `initialize`. */
import { RpcError } from '../../errors.ts';
import { defined, INVALID_PARAMS, type JsonObject, type RpcRequest } from '../../jsonrpc/message.ts';
import type { Caller, Implementation } from '../../model/caller.ts';
import { isLoggingLevel } from '../../model/logging.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { Lifecycle, LifecycleContext, Revision, ServerSide } from '../contract.ts';
import { pickKnown } from '../encode.ts';

const unknownCaller: Caller = { capabilities: {} };

export const sessionLifecycle: Lifecycle = {
  answer(request, server, context) {
    switch (request.method) {
      case 'initialize':
        return initialize(request, server, context);
      case 'ping':
        return {};
      case 'logging/setLevel':
        return setLevel(request, context.session);
      case 'shutdown':
        return shutdown(context);
      default:
        return undefined;
    }
  },
  caller: (_request, session) => session.caller ?? unknownCaller,
  // `info` is the default for clients that never set a level.
  logLevel: (_request, session) => (session.requestsOnly === true ? undefined : (session.logLevel ?? 'info')),
  stamp: (result) => result,
  introduce: (params) => params,
};

function initialize(request: RpcRequest, server: ServerSide, context: LifecycleContext): JsonObject {
  const params = request.params ?? {};
  const { session } = context;
  const revision = chooseRevision(params['protocolVersion'], server, session.offered);
  if (session.revision !== undefined) context.renew();
  session.revision = revision.id;
  session.batches = revision.batches;
  session.caller = {
    info: params['clientInfo'] as Implementation, // checked by initializeParams
    capabilities: params['capabilities'] as Caller['capabilities'], // checked by initializeParams
  };
  return defined<JsonObject>({
    protocolVersion: revision.id,
    capabilities: pickKnown(revision.vocabulary, 'ServerCapabilities', server.capabilities(revision)),
    serverInfo: pickKnown(revision.vocabulary, 'Implementation', server.info),
    instructions: server.instructions,
  });
}

/** Returns the requested revision, or else the newest one with a handshake. */
function chooseRevision(requested: unknown, server: ServerSide, offered: readonly string[] | undefined): Revision {
  const available = server.revisions.filter(({ id, hasSessions }) => hasSessions && (offered?.includes(id) ?? true));
  const wanted = available.find((revision) => revision.id === requested);
  if (wanted !== undefined) return wanted;
  // If the server speaks the revision but the transport does not, offers the next newer one, which is the most similar.
  const isSpoken = server.revisions.some(({ id }) => id === requested);
  const newest = (isSpoken ? available.findLast(({ id }) => id > String(requested)) : undefined) ?? available[0];
  if (newest === undefined || server.strictVersions === true) {
    const supported = server.revisions.map((revision) => revision.id);
    throw new RpcError(INVALID_PARAMS, 'Unsupported protocol version', { supported, requested });
  }
  return newest;
}

function setLevel(request: RpcRequest, session: PeerSession): JsonObject {
  const level = request.params?.['level'];
  if (!isLoggingLevel(level)) throw new RpcError(INVALID_PARAMS, `Unknown log level ${JSON.stringify(level)}`);
  session.logLevel = level;
  return {};
}

/** Not part of any revision. Some documentation of MCP tells clients to send it, so it is acknowledged before the conversation ends. */
function shutdown(context: LifecycleContext): JsonObject {
  context.end();
  return {};
}

/** Whether the client reports that the handshake is complete. Some documentation omits the prefix of the method. */
export const isInitialized = (method: string): boolean =>
  method === 'notifications/initialized' || method === 'initialized';

/** Returns the revision that `initialize` requests; undefined if it is not a string. */
export function requestedVersion({ params }: RpcRequest): string | undefined {
  const version = params?.['protocolVersion'];
  return typeof version === 'string' ? version : undefined;
}
