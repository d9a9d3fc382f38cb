/**
 * Negotiates the newest revision that client and server support. Probes with `server/discover`, and falls back to a handshake if the
 * server does not understand it. Works over any transport: `connect` opens a connection.
 */
import { McpError, RpcError } from '../errors.ts';
import { type Id, isObject, type JsonObject, notification, request } from '../jsonrpc/message.ts';
import type { Implementation, ServerFacts } from '../model/caller.ts';
import { DISCOVER, INITIALIZED, SERVER_INFO, statelessCodes, UNSUPPORTED_VERSION } from '../model/names.ts';
import { printable } from '../model/printable.ts';
import { textOfValue } from '../model/text-of-value.ts';
import { detachedLink } from '../peer/call-link.ts';
import type { Clock } from '../peer/clock.ts';
import type { Connection } from '../peer/exchange.ts';
import type { PeerSession } from '../peer/session.ts';
import { untilAborted, withTimeout } from '../peer/wait.ts';
import type { Introduction, Revision } from './contract.ts';
import { type OpeningRequest, sendOpening } from './opening.ts';

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
  /** The client's introduction, encoded for a revision. */
  introduce(revision: Revision): Introduction;
  /** Opens a connection. Called again if the server closed the first one in response to the probe. */
  connect(): Promise<D>;
  /** Returns an unused request id. */
  nextId(): Id;
  readonly clock: Clock;
  /** If the server does not respond to `server/discover` within this time, the client tries a handshake. */
  readonly probeMs: number;
  readonly signal: AbortSignal;
  /** The result of an earlier negotiation: reused without a probe, unless its handshake fails. */
  readonly remembered?: NegotiatedRevision | undefined;
  /** Another process needed a handshake with this server: starts with one, and probes only if it fails. */
  readonly handshake?: boolean | undefined;
}

/** Opens a connection and negotiates a revision. Closes the connection on failure. */
export const negotiate = <D extends OpenConnection>(offer: Negotiation<D>): Promise<Agreement<D>> =>
  new Negotiator(offer).run();

/** The outcome of probing with `server/discover`. */
type ProbeResult =
  | { readonly revision: Revision; readonly server: ServerFacts }
  | {
      readonly revision?: undefined;
      /** The server closed the connection. */
      readonly ended: boolean;
      /** How the server reacted instead, for the error message. */
      readonly why: string;
      readonly cause?: unknown;
      /** The probe, if the server can still respond to it. */
      readonly late?: OpeningRequest | undefined;
    };

class Negotiator<D extends OpenConnection> {
  readonly #offer: Negotiation<D>;
  /** The allowed revisions, without and with a handshake. */
  readonly #stateless: readonly Revision[];
  readonly #withHandshake: readonly Revision[];

  constructor(offer: Negotiation<D>) {
    this.#offer = offer;
    this.#stateless = offer.allowed.filter((revision) => !revision.hasSessions);
    this.#withHandshake = offer.allowed.filter((revision) => revision.hasSessions);
  }

  async run(): Promise<Agreement<D>> {
    const { remembered, handshake = false, signal } = this.#offer;
    if (remembered?.revision.hasSessions === false) return { ...(await this.#connect()), ...remembered };
    const isStatelessAllowed = this.#stateless.length > 0;
    if (remembered !== undefined || !isStatelessAllowed || (handshake && this.#withHandshake.length > 0)) {
      try {
        return await this.#connectAndShakeHands();
      } catch (error) {
        const isAuth = error instanceof McpError && error.kind === 'auth';
        if (!isStatelessAllowed || signal.aborted || isAuth) throw error;
        // The server has changed since, so probe.
      }
    }
    const opened = await this.#connect();
    return closeOnFailure(opened, async () => {
      const found = await this.#probe(opened.connection);
      if (found.revision !== undefined) return { ...opened, revision: found.revision, server: found.server };
      if (this.#withHandshake.length === 0) throw handshakeNotAllowed(this.#stateless, found);
      if (!found.ended) return this.#handshakeOrLateDiscovery(opened, found.late);
      opened.connection.close().catch(() => undefined);
      return this.#connectAndShakeHands();
    });
  }

  async #connect(): Promise<D> {
    const { connect, signal } = this.#offer;
    signal.throwIfAborted();
    const opening = connect();
    return untilAborted(opening, signal).catch((error: unknown) => {
      // The caller cancelled: close the connection as soon as it opens.
      opening.then(({ connection }) => connection.close()).catch(() => undefined);
      throw error;
    });
  }

  async #connectAndShakeHands(): Promise<Agreement<D>> {
    const opened = await this.#connect();
    return closeOnFailure(opened, () => this.#handshake(opened));
  }

  async #probe(connection: Connection): Promise<ProbeResult> {
    const { allowed, signal, clock, probeMs } = this.#offer;
    const tried = new Set<Revision>();
    let isRepeated = false;
    for (let revision = this.#stateless[0]; revision !== undefined; ) {
      tried.add(revision);
      const params = revision.lifecycle.introduce(undefined, this.#offer.introduce(revision));
      const asked = sendOpening(connection, request(this.#offer.nextId(), DISCOVER, params));
      let versions: unknown;
      try {
        const response = connection.replies === true ? asked.answer : withTimeout(probeMs, clock, asked.answer);
        const answer = await untilAborted(response, signal);
        if (answer === undefined) return { ended: false, why: `sent no response within ${probeMs} ms`, late: asked };
        const discovered = readDiscovery(answer);
        if (discovered === undefined) return { ended: false, why: 'sent a response without a discovery result' };
        const chosen = newestIn(discovered.versions, this.#stateless);
        if (chosen !== undefined) return { revision: chosen, server: discovered.server };
        versions = discovered.versions;
      } catch (error) {
        if (signal.aborted) throw error;
        if (!(error instanceof RpcError)) return probeFailure(error, connection.replies === true);
        if (!statelessCodes.has(error.code)) return { ended: false, why: `returned error ${error.code}`, cause: error };
        if (error.code !== UNSUPPORTED_VERSION) throw error;
        versions = isObject(error.data) ? error.data['supported'] : undefined;
      }
      revision = newestIn(versions, without(this.#stateless, tried));
      if (revision === undefined && !isRepeated) {
        // The server names the revision that it just rejected: a load balancer may have picked another process. Retry once.
        revision = newestIn(versions, this.#stateless);
        isRepeated = true;
      }
      if (revision === undefined && newestIn(versions, allowed)?.hasSessions !== true)
        throw noCommonRevision(allowed, versions);
    }
    return { ended: false, why: 'supports none of the stateless revisions' };
  }

  async #handshake(opened: D): Promise<Agreement<D>> {
    const { connection, session } = opened;
    const { allowed, signal } = this.#offer;
    const tried = new Set<Revision>();
    for (let wanted = this.#withHandshake[0]; wanted !== undefined; ) {
      tried.add(wanted);
      const { info, capabilities } = this.#offer.introduce(wanted);
      const params = { protocolVersion: wanted.id, capabilities, clientInfo: info };
      try {
        const asked = sendOpening(connection, request(this.#offer.nextId(), 'initialize', params));
        const result = await untilAborted(asked.answer, signal);
        const revision = this.#withHandshake.find((one) => one.id === result['protocolVersion']);
        if (revision === undefined) throw noCommonRevision(allowed, [result['protocolVersion']]);
        session.revision = revision.id;
        session.batches = revision.batches;
        await untilAborted(connection.exchange(notification(INITIALIZED), detachedLink), signal);
        return { ...opened, revision, server: readServerFacts(result, result['serverInfo']) };
      } catch (error) {
        // Some servers reject the handshake with a list of their revisions instead of offering another revision.
        const supported = error instanceof RpcError && isObject(error.data) ? error.data['supported'] : undefined;
        wanted = newestIn(supported, without(this.#withHandshake, tried));
        if (wanted !== undefined) continue;
        const isDisjoint = Array.isArray(supported) && newestIn(supported, allowed) === undefined;
        throw isDisjoint ? noCommonRevision(allowed, supported, error) : error;
      }
    }
    throw noCommonRevision(allowed, undefined);
  }

  /** Tries a handshake; if it fails, uses a late response to `server/discover`. */
  async #handshakeOrLateDiscovery(opened: D, late: OpeningRequest | undefined): Promise<Agreement<D>> {
    try {
      const agreement = await this.#handshake(opened);
      late?.cancel(new McpError('MCP_CANCELLED', { method: DISCOVER, why: 'a handshake took its place' }));
      return agreement;
    } catch (error) {
      const isEnded = error instanceof McpError && (error.kind === 'exit' || error.kind === 'offline');
      if (late !== undefined && isEnded && !this.#offer.signal.aborted) {
        // A slow start: the server read the probe only after the timeout, and crashed on it. Reconnect with a handshake.
        opened.connection.close().catch(() => undefined);
        return this.#connectAndShakeHands();
      }
      const discovered = late?.value === undefined ? undefined : readDiscovery(late.value);
      const revision = newestIn(discovered?.versions, this.#offer.allowed);
      if (!(error instanceof RpcError) || discovered === undefined || revision?.hasSessions !== false) throw error;
      return { ...opened, revision, server: discovered.server };
    }
  }
}

/** Runs a step, and closes the connection if it fails. */
async function closeOnFailure<T>({ connection }: OpenConnection, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    connection.close().catch(() => undefined);
    throw error;
  }
}

function readDiscovery(result: JsonObject): { versions: readonly string[]; server: ServerFacts } | undefined {
  const versions = result['supportedVersions'];
  if (!Array.isArray(versions) || !versions.every((one) => typeof one === 'string')) return undefined;
  return { versions, server: readDiscoveredServer(result) };
}

/** Reads the server's description from a `server/discover` result. */
export function readDiscoveredServer(result: JsonObject): ServerFacts {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  // Drafts of the revision had `serverInfo` in the result; servers built for them still do.
  return readServerFacts(result, meta[SERVER_INFO] ?? result['serverInfo']);
}

/** Self-reported, for display only. */
function readInfo(info: JsonObject): Implementation {
  const { name = '', version = '' } = info;
  return { ...info, name: textOfValue(name), version: textOfValue(version) };
}

function readServerFacts(result: JsonObject, info: unknown): ServerFacts {
  const { capabilities, instructions } = result;
  return {
    info: isObject(info) ? readInfo(info) : undefined,
    // Some servers send null for capabilities that they lack.
    capabilities: isObject(capabilities) ? withoutNulls(capabilities) : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

const withoutNulls = (members: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));

const newestIn = (versions: unknown, among: readonly Revision[]): Revision | undefined =>
  Array.isArray(versions) ? among.find((revision) => versions.includes(revision.id)) : undefined;

function probeFailure(error: unknown, replies: boolean): ProbeResult {
  if (replies) {
    // An unreachable server, or a request for credentials, says nothing about the server's revisions.
    if (!(error instanceof McpError) || error.kind === 'offline' || error.kind === 'auth') throw error;
    return { ended: false, why: `responded differently (${error.message})`, cause: error };
  }
  const malformed = error instanceof McpError && error.code === 'MCP_BAD_RESULT';
  return { ended: !malformed, why: malformed ? 'sent a malformed response' : 'ended the conversation', cause: error };
}

const without = (list: readonly Revision[], tried: ReadonlySet<Revision>): readonly Revision[] =>
  list.filter((one) => !tried.has(one));

/** How many revisions of a server an error quotes. */
const MAX_QUOTED_VERSIONS = 10;
const quoteVersion = (version: unknown): string => printable(textOfValue(version).slice(0, 50));

const idsOf = (list: readonly Revision[]): string => list.map((revision) => revision.id).join(', ');

function noCommonRevision(allowed: readonly Revision[], versions: unknown, cause?: unknown): McpError {
  const named = Array.isArray(versions)
    ? versions.slice(0, MAX_QUOTED_VERSIONS).map(quoteVersion)
    : ['named no revisions'];
  const theirs = named.join(', ');
  return new McpError('MCP_NO_COMMON_REVISION', { ours: idsOf(allowed), theirs }, { cause });
}

function handshakeNotAllowed(allowed: readonly Revision[], found: { why: string; cause?: unknown }): McpError {
  const theirs = `seems to require a handshake (it ${found.why} when sent ${DISCOVER}). Allow an older revision`;
  return new McpError('MCP_NO_COMMON_REVISION', { ours: idsOf(allowed), theirs }, { cause: found.cause });
}
