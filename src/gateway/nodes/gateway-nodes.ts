/** Connects the processes of one gateway: a retry that reaches any node is forwarded to the node where its call waits. */
import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import type { Progress } from '../../client/index.ts';
import { RpcError } from '../../errors.ts';
import { failure, INTERNAL_ERROR, INVALID_PARAMS, isObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../model/caller.ts';
import type { LogMessage } from '../../model/logging.ts';
import { whenAborted } from '../../peer/exchange.ts';
import { STATE_LIFE_MS } from '../../revisions/asks/seal.ts';
import { findRevision } from '../../revisions/index.ts';
import { ExpiringMap } from '../../stores/expiring-map.ts';
import { CallerCounts } from '../../transport/http/caller-counts.ts';
import type { SessionMessage, SessionPeers } from '../../transport/http/session-peers.ts';
import type { Bridge } from '../bridge/bridge.ts';
import { lostCallError } from '../bridge/bridge-context.ts';
import type { CarriedResult, GatewayMetrics, ResumingRequest, RoutedRequest, WaitState } from '../contract.ts';
import type { PeerSpec } from '../spec.ts';
import { UpstreamError } from '../upstreams/upstream-error.ts';
import { type FoundNode, NodeDirectory, type NodeDirectorySettings } from './node-directory.ts';
import { type PeerEnvelope, PeerEnvelopes } from './peer-envelope.ts';
import { type PeerAnswer, PeerListener } from './peer-listener.ts';
import { type PeerMessageEnd, sendToPeer } from './send-to-peer.ts';

export interface GatewayNodesSettings
  extends PeerSpec,
    Pick<NodeDirectorySettings, 'id' | 'clock' | 'noteStoreFailure'> {
  readonly metrics?: GatewayMetrics | undefined;
  readonly warnOnce?: ((warning: string) => void) | undefined;
}

const ID_BYTES = 6;

/** A new id on every start, so that a restarted process is a different node. */
export const makeNodeId = (): string => randomBytes(ID_BYTES).toString('base64url');

/** Broadcasts to all nodes. */
const CHANNEL = 'nodes';

/** What a caller is told about a retry that its node had no room for, and when to send it again. */
const NODE_BUSY = 'waits on a node that is busy: nothing was done, so send the same request again';
const BUSY_MS = 1_000;

/** The node that sent a question: question ids start with its name. */
const nodeOfQuestion = (id: unknown): string | undefined =>
  typeof id === 'string' && id.length < MAX_QUESTION_ID ? /^(.+)-\d+$/.exec(id)?.[1] : undefined;
const MAX_QUESTION_ID = 64;
/** Responses in flight to other nodes; more are dropped, and their questions time out. */
const MAX_FORWARDED = 256;
/** Per verified caller, or per session without authorization: an unknown node costs several seconds of lookup. */
const MAX_FORWARDED_PER_CALLER = 16;

/** Larger clock differences are reported. */
const MAX_DIFFERENCE_MS = 30_000;

/** Rounded to minutes, so that the deduplicated warning appears once. */
function differenceText(node: string, ms: number): string {
  const [minutes, side] = [Math.max(1, Math.round(Math.abs(ms) / 60_000)), ms < 0 ? 'behind' : 'ahead of'];
  return `The clock of node ${node} is about ${minutes} min ${side} this one: calls that wait and sessions can end early. Synchronize the clocks of all nodes (NTP)`;
}

/** A retry that is forwarded to the node of its call. */
type ResumeBody = {
  readonly state: WaitState;
  readonly answers: JsonObject;
  readonly bound: string;
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
};

export class GatewayNodes implements SessionPeers {
  readonly #settings: GatewayNodesSettings;
  readonly #directory: NodeDirectory;
  readonly #envelopes: PeerEnvelopes;
  readonly #listener: PeerListener;
  readonly #agent: Agent = new Agent({ keepAlive: true });
  /** Cancels a forwarded retry that is in progress here, by the nonce of its message. */
  readonly #resumed: Map<string, () => void> = new Map();
  /** Nodes that announced that they stopped. */
  readonly #left: ExpiringMap<true>;
  readonly #subscribers: Set<(message: SessionMessage) => void> = new Set();
  /** Forwarded messages in flight, by caller. */
  readonly #forwarding: CallerCounts = new CallerCounts(MAX_FORWARDED_PER_CALLER);
  #forwarded = 0;
  #unsubscribe: (() => void) | undefined;
  #bridge: Pick<Bridge, 'resume'> | undefined;
  #started: Promise<void> | undefined;

  constructor(settings: GatewayNodesSettings) {
    const { id, keys, clock } = settings;
    this.#settings = settings;
    this.#directory = new NodeDirectory(settings);
    this.#left = new ExpiringMap(clock);
    this.#envelopes = new PeerEnvelopes(id, keys, clock);
    this.#listener = new PeerListener(this.#envelopes, (envelope, answer) => this.#receive(envelope, answer), clock);
  }

  get node(): string {
    return this.#settings.id;
  }

  /** Starts to accept messages for the calls of this bridge. */
  start(bridge: Pick<Bridge, 'resume'>): Promise<void> {
    this.#bridge = bridge;
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Announces that this node has ended its calls, so that others report them as ended and not as lost. */
  async leave(): Promise<void> {
    const { id, store } = this.#settings;
    if (this.#started === undefined) return;
    await store.channel.publish(CHANNEL, this.#envelopes.sealForAll({ left: id })).catch(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#started === undefined) return;
    this.#unsubscribe?.();
    await this.#directory.close();
    await this.#listener.close();
    this.#agent.destroy();
  }

  /** Resumes a call that waits on another node. That node never forwards it further. */
  readonly resume = async (
    routed: RoutedRequest,
    state: WaitState,
    request: ResumingRequest,
  ): Promise<CarriedResult> => {
    const { label } = state.part;
    if (this.#left.get(state.node) === true)
      throw new RpcError(INVALID_PARAMS, 'requestState cannot be continued: its node has stopped, and ended the call');
    const node = await this.#find(state.node);
    const outcome = node === undefined ? 'lost' : await this.#send(node, routed, { state, request });
    const end = typeof outcome === 'string' ? outcome : 'answered';
    this.#settings.metrics?.count('forwarded_total', { kind: 'resume', end });
    if (outcome === 'busy') throw new UpstreamError(label, 'not-sent', NODE_BUSY, { retryAfterMs: BUSY_MS });
    if (outcome === 'lost') throw lostCallError(label, 'the node that it waits on is gone');
    return toCarried(outcome);
  };

  /** The time on the wall clock of another node; undefined for a dead or unknown one. */
  readonly wallOf = async (id: string): Promise<number | undefined> => {
    const found = this.#warnOfClock(id, await this.#directory.look(id));
    return found && this.#settings.clock.wall() + found.aheadMs;
  };

  /** Subscribes to responses and cancellations that other nodes received. */
  receive(take: (message: SessionMessage) => void): () => void {
    this.#subscribers.add(take);
    return () => this.#subscribers.delete(take);
  }

  /** Forwards a response to the node that asked. A cancellation is broadcast, because the node of the call is unknown. */
  forward(message: SessionMessage): void {
    const caller = message.principal === '' ? message.session : message.principal;
    if (this.#forwarded >= MAX_FORWARDED || this.#forwarding.isFull(caller)) return;
    this.#forwarded++;
    this.#forwarding.add(caller);
    void this.#forward(message).finally(() => {
      this.#forwarded--;
      this.#forwarding.remove(caller);
    });
  }

  async #forward(message: SessionMessage): Promise<void> {
    const { clock, store, metrics } = this.#settings;
    const node = 'method' in message.message ? undefined : nodeOfQuestion(message.message.id);
    const body = { ...message };
    let end: PeerMessageEnd | 'sent' = 'sent';
    if (node === undefined)
      await store.channel.publish(CHANNEL, this.#envelopes.sealForAll(body)).catch(() => undefined);
    else {
      const found = this.#left.get(node) === true ? undefined : await this.#find(node);
      const { address = '', aheadMs } = found ?? {};
      const sealed = this.#envelopes.seal(node, 'deliver', body, aheadMs);
      const connection = { address, agent: this.#agent, clock, onEvent: () => undefined };
      if (found === undefined) end = 'lost';
      else {
        const ended = await sendToPeer({ ...connection, ...sealed }, this.#envelopes).ended;
        if (ended !== 'answered') end = ended;
      }
    }
    metrics?.count('forwarded_total', { kind: node === undefined ? 'cancel' : 'answer', end });
  }

  readonly #find = async (id: string): Promise<FoundNode | undefined> =>
    this.#warnOfClock(id, await this.#directory.find(id));

  #warnOfClock(id: string, found: FoundNode | undefined): FoundNode | undefined {
    if (found !== undefined && Math.abs(found.aheadMs) > MAX_DIFFERENCE_MS)
      this.#settings.warnOnce?.(differenceText(id, found.aheadMs));
    return found;
  }

  #onBroadcast(body: JsonObject | undefined): void {
    const left = body?.['left'];
    // Node ids are unique per start, so a replayed message is harmless.
    if (typeof left === 'string') this.#left.set(left, true, STATE_LIFE_MS);
    else if (body !== undefined) this.#deliver(body);
  }

  #deliver(body: JsonObject): void {
    for (const take of this.#subscribers) take(body as unknown as SessionMessage); // sealed by another node
  }

  async #start(): Promise<void> {
    const { listen, advertise, store } = this.#settings;
    const port = await this.#listener.listen(listen);
    const onBroadcast = (sealed: string): void => this.#onBroadcast(this.#envelopes.openForAll(sealed));
    this.#unsubscribe = store.channel.subscribe(CHANNEL, onBroadcast, () => undefined);
    await this.#directory.start(advertise ?? `http://127.0.0.1:${port}`);
  }

  /** Returns the last event of the response, or why there is none. */
  async #send(
    { address, aheadMs }: FoundNode,
    routed: RoutedRequest,
    { state, request }: { readonly state: WaitState; readonly request: ResumingRequest },
  ): Promise<JsonObject | Exclude<PeerMessageEnd, 'answered'>> {
    const { capabilities, revision, bound } = request;
    const answers = routed.retry?.inputResponses ?? {};
    const body: ResumeBody = { state, answers, bound, revision: revision.id, capabilities };
    const { nonce, sealed } = this.#envelopes.seal(state.node, 'resume', body, aheadMs);
    let outcome: JsonObject | undefined;
    const onEvent = (event: JsonObject): void => {
      if (isObject(event['progress']))
        request.onProgress?.(event['progress'] as unknown as Progress); // forwarded unchanged
      else if (isObject(event['log']))
        request.onLog?.(event['log'] as unknown as LogMessage); // likewise
      else outcome = event;
    };
    const message = { address, agent: this.#agent, clock: this.#settings.clock };
    const sent = sendToPeer({ ...message, sealed, nonce, onEvent }, this.#envelopes);
    whenAborted(routed.link, () => {
      // An explicit message, because a broken connection does not cancel the call.
      const hangUp = this.#envelopes.seal(state.node, 'hangUp', { nonce }, aheadMs);
      void sendToPeer({ ...message, ...hangUp, onEvent: () => undefined }, this.#envelopes).ended.then(() =>
        sent.abort(),
      );
    });
    const end = await sent.ended;
    return end === 'answered' ? (outcome ?? 'lost') : end;
  }

  #receive(envelope: PeerEnvelope, answer: PeerAnswer): void {
    if (envelope.kind === 'resume') {
      void this.#resumeHere(envelope, answer).finally(() => {
        this.#resumed.delete(envelope.nonce);
        answer.end();
      });
      return;
    }
    if (envelope.kind === 'deliver') this.#deliver(envelope.body);
    else this.#resumed.get(String(envelope.body['nonce']))?.();
    answer.end();
  }

  async #resumeHere({ nonce, body }: PeerEnvelope, answer: PeerAnswer): Promise<void> {
    const { state, answers, bound, revision: id, capabilities } = body as ResumeBody; // sealed by another node
    let gone: (hungUp: boolean) => void = () => undefined;
    try {
      const revision = findRevision(id);
      if (this.#bridge === undefined || revision === undefined)
        throw lostCallError(state.part.label, 'the node is not ready');
      this.#resumed.set(nonce, () => gone(true));
      answer.onLost(() => gone(false));
      const carried = await this.#bridge.resume(state, answers, {
        bound,
        capabilities,
        revision,
        onProgress: (progress) => answer.send({ progress }),
        onLog: (log) => answer.send({ log }),
        whenGone: (listener) => {
          gone = listener;
        },
      });
      answer.send('asks' in carried ? carried : { result: carried.result, from: carried.from.id });
    } catch (error) {
      answer.send({ error: failure(undefined, toRpcError(error, state.part.label)).error });
    }
  }
}

/** The outcome as an error that can be sent to the other node. */
function toRpcError(error: unknown, label: string): RpcError {
  if (error instanceof RpcError) return error;
  if (error instanceof UpstreamError)
    return new RpcError(INTERNAL_ERROR, error.message, { outcome: error.outcome, label });
  return lostCallError(label, 'its node failed');
}

function toCarried({ asks, result, from, error }: JsonObject): CarriedResult {
  const revision = findRevision(String(from));
  if (isObject(asks)) return { asks };
  if (isObject(result) && revision !== undefined) return { result, from: revision };
  const { code, message, data } = isObject(error) ? error : {};
  throw new RpcError(Number(code ?? INTERNAL_ERROR), String(message), data);
}
