/** The handshake: `initialize` once, then both sides remember. */
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
  // For a client that never set a level.
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
    info: params['clientInfo'] as Implementation, // the params' shape was checked
    capabilities: params['capabilities'] as Caller['capabilities'], // likewise
  };
  return defined<JsonObject>({
    protocolVersion: revision.id,
    capabilities: pickKnown(revision.vocabulary, 'ServerCapabilities', server.capabilities(revision)),
    serverInfo: pickKnown(revision.vocabulary, 'Implementation', server.info),
    instructions: server.instructions,
  });
}

/** The revision that was asked for, or the newest one that opens this way. */
function chooseRevision(requested: unknown, server: ServerSide, offered: readonly string[] | undefined): Revision {
  const meeting = server.revisions.filter(({ id, hasSessions }) => hasSessions && (offered?.includes(id) ?? true));
  const wanted = meeting.find((revision) => revision.id === requested);
  if (wanted !== undefined) return wanted;
  // One that the server speaks and the transport does not: the next newer one is the most like it.
  const isSpoken = server.revisions.some(({ id }) => id === requested);
  const newest = (isSpoken ? meeting.findLast(({ id }) => id > String(requested)) : undefined) ?? meeting[0];
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

/** Not in any revision, but asked for by documents that describe MCP: answered kindly, then the conversation ends. */
function shutdown(context: LifecycleContext): JsonObject {
  context.end();
  return {};
}

/** What a client says once it is ready. Some documents leave out the prefix. */
export const isInitialized = (method: string): boolean =>
  method === 'notifications/initialized' || method === 'initialized';

/** Whether an `initialize` asks for something that looks like a version at all. */
export function requestedVersion({ params }: RpcRequest): string | undefined {
  const version = params?.['protocolVersion'];
  return typeof version === 'string' ? version : undefined;
}
