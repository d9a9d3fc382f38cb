/** Server: selects the revision of a request, by its `_meta` or its session. */
import { RpcError } from '../errors.ts';
import { INVALID_PARAMS, type RpcRequest } from '../jsonrpc/message.ts';
import { PROTOCOL_VERSION, UNSUPPORTED_VERSION } from '../model/names.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Revision } from './contract.ts';
import { claimedVersion } from './lifecycles/request.ts';
import { requestedVersion } from './lifecycles/session.ts';

/** Selects one of the revisions that this server speaks; `decided` if the transport had to decide. Throws the error to respond with. */
export function selectRevision(
  request: RpcRequest,
  session: PeerSession,
  spoken: readonly Revision[],
  decided?: string,
): Revision {
  if (decided !== undefined) for (const revision of spoken) if (revision.id === decided) return revision;
  const claimed = claimedVersion(request);
  for (const revision of spoken) if (revision.id === claimed && !revision.hasSessions) return revision;
  if (claimed !== undefined) throw unsupportedVersion(claimed, spoken);
  if (request.method === 'initialize') return revisionForHandshake(request, spoken);
  for (const revision of spoken) if (revision.id === session.revision) return revision;
  // Before the handshake, only ping is allowed.
  const first = spoken.find((revision) => revision.hasSessions);
  if (request.method === 'ping' && first !== undefined) return first;
  throw new RpcError(INVALID_PARAMS, `_meta must have "${PROTOCOL_VERSION}", or initialize must come first`);
}

function unsupportedVersion(claimed: unknown, spoken: readonly Revision[]): RpcError {
  if (typeof claimed !== 'string') return new RpcError(INVALID_PARAMS, `"${PROTOCOL_VERSION}" must be a string`);
  const supported = spoken.map((one) => one.id);
  return new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported, requested: claimed });
}

/** Before the handshake selects a revision, `initialize` can be handled by any revision with a handshake. */
function revisionForHandshake(request: RpcRequest, spoken: readonly Revision[]): Revision {
  const handshakes = spoken.filter((revision) => revision.hasSessions);
  const wanted = requestedVersion(request);
  const revision = handshakes.find((one) => one.id === wanted) ?? handshakes[0];
  if (revision === undefined) throw unsupportedVersion(wanted ?? '', spoken);
  return revision;
}
