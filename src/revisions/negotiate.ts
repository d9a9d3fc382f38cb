/**
 * Negotiates the newest revision that both sides support. A stateless server answers `server/discover`; a server that does
 * not understand it gets a handshake. Knows nothing of transports: `dial` opens a connection.
 */
import { McpError, RpcError } from '../errors.ts';
import { type Id, isObject, type JsonObject, notification, request } from '../jsonrpc/message.ts';
import type { Implementation, ServerFacts } from '../model/caller.ts';
import { DISCOVER, INITIALIZED, SERVER_INFO, statelessCodes, UNSUPPORTED_VERSION } from '../model/names.ts';
import { detachedLink } from '../peer/call-link.ts';
import type { Clock } from '../peer/clock.ts';
import type { Connection } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import type { Introduction, Revision } from './contract.ts';
import { type OpeningRequest, sendOpening, untilAborted, withTimeout } from './opening.ts';

export interface OpenConnection {
  readonly connection: Connection;
  readonly session: PeerSession;
}
export interface NegotiatedRevision {
  readonly revision: Revision;
  readonly server: ServerFacts;
}
export type Agreement<D extends OpenConnection> = D & NegotiatedRevision;

export interface Negotiation<D extends OpenConnection> {
  /** The allowed revisions, newest first. */
  readonly allowed: readonly Revision[];
  /** The client's introduction, as a revision spells it. */
  introduce(revision: Revision): Introduction;
  /** Opens a connection; called again when the server ended the first. */
  dial(): Promise<D>;
  /** An id that was not used before. */
  nextId(): Id;
  readonly clock: Clock;
  /** How long a server can stay silent before it counts as one that does not know `server/discover`. */
  readonly probeMs: number;
  readonly signal: AbortSignal;
  /** What an earlier connection agreed on: nothing is discovered, unless it no longer holds. */
  readonly verdict?: NegotiatedRevision | undefined;
  /** Another process had a handshake with this server before: begin with one, and discover where that fails. */
  readonly handshake?: boolean | undefined;
}

/** Opens a connection and agrees on a revision. Leaves no connection open when it fails. */
export async function negotiate<D extends OpenConnection>(offer: Negotiation<D>): Promise<Agreement<D>> {
  const { allowed, verdict, handshake: expectsHandshake = false } = offer;
  if (verdict?.revision.lifecycle.handshake === false) return { ...(await connectOnce(offer)), ...verdict };
  const meeting = allowed.filter((revision) => revision.lifecycle.handshake);
  const stateless = allowed.filter((revision) => !revision.lifecycle.handshake);
  if (verdict !== undefined || stateless.length === 0 || (expectsHandshake && meeting.length > 0)) {
    try {
      return await closeOnFailure(await connectOnce(offer), (dialled) => handshake(offer, dialled, meeting));
    } catch (error) {
      const isAuth = error instanceof McpError && error.kind === 'auth';
      if (stateless.length === 0 || offer.signal.aborted || isAuth) throw error;
      // The verdict no longer holds: ask again.
    }
  }
  return discoverOrHandshake(offer, stateless, meeting);
}

async function discoverOrHandshake<D extends OpenConnection>(
  offer: Negotiation<D>,
  stateless: readonly Revision[],
  meeting: readonly Revision[],
): Promise<Agreement<D>> {
  const first = await connectOnce(offer);
  const found = await closeOnFailure(first, () => discover(offer, first, stateless));
  if (found.revision !== undefined) return { ...first, revision: found.revision, server: found.server };
  return closeOnFailure(first, async () => {
    if (meeting.length === 0) throw handshakeNotAllowed(stateless, found);
    if (!found.ended) return handshakeOrLateAnswer(offer, first, { meeting, late: found.late });
    first.connection.close().catch(() => undefined);
    return closeOnFailure(await connectOnce(offer), (again) => handshake(offer, again, meeting));
  });
}

/** A handshake; if that fails, the late answer to `server/discover`. */
async function handshakeOrLateAnswer<D extends OpenConnection>(
  offer: Negotiation<D>,
  dialled: D,
  { meeting, late }: { readonly meeting: readonly Revision[]; readonly late: OpeningRequest | undefined },
): Promise<Agreement<D>> {
  try {
    const agreement = await handshake(offer, dialled, meeting);
    late?.cancel(new McpError('MCP_CANCELLED', { method: DISCOVER, why: 'a handshake took its place' }));
    return agreement;
  } catch (error) {
    const discovered = late?.value === undefined ? undefined : readDiscovery(late.value);
    const revision = discovered === undefined ? undefined : newestIn(discovered.versions, offer.allowed);
    if (!(error instanceof RpcError) || discovered === undefined || revision?.lifecycle.handshake !== false)
      throw error;
    return { ...dialled, revision, server: discovered.server };
  }
}

type NegotiationResult =
  | { readonly revision: Revision; readonly server: ServerFacts }
  | {
      readonly revision?: undefined;
      /** The server ended the connection. */
      readonly ended: boolean;
      /** What it did instead of answering. */
      readonly why: string;
      readonly cause?: unknown;
      /** The question, if it may still be answered. */
      readonly late?: OpeningRequest | undefined;
    };

async function discover(
  offer: Negotiation<OpenConnection>,
  { connection: line }: OpenConnection,
  stateless: readonly Revision[],
): Promise<NegotiationResult> {
  const tried = new Set<Revision>();
  let repeated = false;
  for (let revision = stateless[0]; revision !== undefined; ) {
    tried.add(revision);
    const params = revision.lifecycle.introduce(undefined, offer.introduce(revision));
    const asked = sendOpening(line, request(offer.nextId(), DISCOVER, params));
    let versions: unknown;
    try {
      const response = line.replies === true ? asked.answer : withTimeout(offer.probeMs, offer.clock, asked.answer);
      const answer = await untilAborted(response, offer.signal);
      if (answer === undefined) return { ended: false, why: `said nothing for ${offer.probeMs} ms`, late: asked };
      const discovered = readDiscovery(answer);
      if (discovered === undefined) return { ended: false, why: 'gave an answer that is no discovery' };
      const chosen = newestIn(discovered.versions, stateless);
      if (chosen !== undefined) return { revision: chosen, server: discovered.server };
      versions = discovered.versions;
    } catch (error) {
      if (offer.signal.aborted) throw error;
      if (!(error instanceof RpcError)) return unansweredDiscovery(error, line.replies === true);
      if (!statelessCodes.has(error.code)) return { ended: false, why: `gave error ${error.code}`, cause: error };
      if (error.code !== UNSUPPORTED_VERSION) throw error;
      versions = isObject(error.data) ? error.data['supported'] : undefined;
    }
    const untried = stateless.filter((one) => !tried.has(one));
    revision = newestIn(versions, untried);
    if (revision === undefined && !repeated) {
      // It names the revision that it just rejected: a load balancer may have picked another process. Ask once more.
      revision = newestIn(versions, stateless);
      repeated = true;
    }
    if (revision === undefined && newestIn(versions, offer.allowed)?.lifecycle.handshake !== true)
      throw noCommonRevision(offer.allowed, versions);
  }
  return { ended: false, why: 'speaks none of the stateless revisions' };
}

async function handshake<D extends OpenConnection>(
  offer: Negotiation<D>,
  dialled: D,
  meeting: readonly Revision[],
): Promise<Agreement<D>> {
  const { connection: line, session } = dialled;
  const tried = new Set<Revision>();
  for (let wanted = meeting[0]; wanted !== undefined; ) {
    tried.add(wanted);
    const { info, capabilities } = offer.introduce(wanted);
    const params = { protocolVersion: wanted.id, capabilities, clientInfo: info };
    try {
      const result = await untilAborted(
        sendOpening(line, request(offer.nextId(), 'initialize', params)).answer,
        offer.signal,
      );
      const revision = meeting.find((one) => one.id === result['protocolVersion']);
      if (revision === undefined) throw noCommonRevision(offer.allowed, [result['protocolVersion']]);
      session.revision = revision.id;
      session.batches = revision.batches;
      await line.exchange(notification(INITIALIZED), detachedLink);
      return { ...dialled, revision, server: readServerFacts(result, result['serverInfo']) };
    } catch (error) {
      // Some servers reject the handshake and name their revisions, instead of offering another.
      const supported = error instanceof RpcError && isObject(error.data) ? error.data['supported'] : undefined;
      wanted = newestIn(
        supported,
        meeting.filter((one) => !tried.has(one)),
      );
      if (wanted !== undefined) continue;
      const hopeless = Array.isArray(supported) && newestIn(supported, offer.allowed) === undefined;
      throw hopeless ? noCommonRevision(offer.allowed, supported, error) : error;
    }
  }
  throw noCommonRevision(offer.allowed, undefined);
}

async function connectOnce<D extends OpenConnection>({ dial: open, signal }: Negotiation<D>): Promise<D> {
  signal.throwIfAborted();
  const opening = open();
  return untilAborted(opening, signal).catch((error: unknown) => {
    // The caller no longer waits for this connection: close it as soon as it is open.
    opening.then(({ connection: line }) => line.close()).catch(() => undefined);
    throw error;
  });
}

/** Runs a step, and closes the connection if it fails. */
async function closeOnFailure<D extends OpenConnection, T>(dialled: D, run: (dialled: D) => Promise<T>): Promise<T> {
  try {
    return await run(dialled);
  } catch (error) {
    dialled.connection.close().catch(() => undefined);
    throw error;
  }
}

function readDiscovery(result: JsonObject): { versions: readonly string[]; server: ServerFacts } | undefined {
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.every((one) => typeof one === 'string')) return undefined;
  return { versions, server: serverFacts(result) };
}

/** What a server says of itself in an answer to `server/discover`. */
export function serverFacts(result: JsonObject): ServerFacts {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  // Servers built before the revision was final put `serverInfo` into the result.
  return readServerFacts(result, meta[SERVER_INFO] ?? result['serverInfo']);
}

function readServerFacts(result: JsonObject, info: unknown): ServerFacts {
  const { capabilities, instructions } = result;
  return {
    info: isObject(info) ? (info as Implementation) : undefined, // self-reported; nothing depends on it
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

const newestIn = (versions: unknown, among: readonly Revision[]): Revision | undefined =>
  Array.isArray(versions) ? among.find((revision) => versions.includes(revision.id)) : undefined;

function unansweredDiscovery(error: unknown, replies: boolean): NegotiationResult {
  if (replies) {
    // A server that cannot be reached, or asks for credentials, says nothing about its revisions.
    if (!(error instanceof McpError) || error.kind === 'offline' || error.kind === 'auth') throw error;
    return { ended: false, why: `answered otherwise (${error.message})`, cause: error };
  }
  const malformed = error instanceof McpError && error.code === 'MCP_BAD_RESULT';
  return { ended: !malformed, why: malformed ? 'gave a malformed answer' : 'ended the conversation', cause: error };
}

const idsOf = (list: readonly Revision[]): string => list.map((revision) => revision.id).join(', ');

function noCommonRevision(allowed: readonly Revision[], versions: unknown, cause?: unknown): McpError {
  const theirs = Array.isArray(versions) ? versions.map(String).join(', ') : 'does not say which';
  return new McpError('MCP_NO_COMMON_REVISION', { ours: idsOf(allowed), theirs }, { cause });
}

function handshakeNotAllowed(
  allowed: readonly Revision[],
  found: { readonly why: string; readonly cause?: unknown },
): McpError {
  const theirs = `seems to want a handshake (it ${found.why} when sent ${DISCOVER}); allow an older revision to meet it`;
  return new McpError('MCP_NO_COMMON_REVISION', { ours: idsOf(allowed), theirs }, { cause: found.cause });
}
