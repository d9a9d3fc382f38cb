/** Several processes that are one gateway: a retry that reaches any of them goes on where its call waits. */
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
import type { SessionMessage } from '../../transport/http/session-peers.ts';
import type { Bridge } from '../bridge/bridge.ts';
import { lostCallError } from '../bridge/bridge-context.ts';
import type { CarriedResult, GatewayMetrics, ResumingRequest, RoutedRequest, WaitState } from '../contract.ts';
import type { PeerSpec } from '../spec.ts';
import { UpstreamError } from '../upstreams/upstream-error.ts';
import { type FoundNode, NodeDirectory, type NodeDirectorySettings } from './node-directory.ts';
import { type PeerEnvelope, PeerEnvelopes } from './peer-envelope.ts';
import { type PeerAnswer, PeerListener } from './peer-listener.ts';
import { sendToPeer } from './send-to-peer.ts';

export interface GatewayNodesSettings
  extends PeerSpec,
    Pick<NodeDirectorySettings, 'id' | 'clock' | 'noteStoreFailure'> {
  readonly metrics?: GatewayMetrics | undefined;
  readonly warnOnce?: ((warning: string) => void) | undefined;
}

/** What concerns all nodes. */
const CHANNEL = 'nodes';
/** As long as a state is good. */
const LEFT_MS = STATE_LIFE_MS;

/** The node that asked: the ids of its questions begin with its name. */
const nodeOfQuestion = (id: unknown): string | undefined =>
  typeof id === 'string' && id.length < MAX_QUESTION_ID ? /^(.+)-\d+$/.exec(id)?.[1] : undefined;
const MAX_QUESTION_ID = 64;
/** Responses that are being passed on; more are dropped, and the question times out. */
const MAX_FORWARDED = 256;
/** Of one caller, or of one session where callers are not verified: a node that never was is looked for several seconds. */
const MAX_FORWARDED_PER_CALLER = 16;

/** Clocks that differ by more are reported. */
const MAX_DIFFERENCE_MS = 30_000;

/** In whole minutes, so that the same is said once. */
function differenceText(node: string, ms: number): string {
  const [minutes, side] = [Math.max(1, Math.round(Math.abs(ms) / 60_000)), ms < 0 ? 'behind' : 'ahead of'];
  return `The clock of node ${node} is about ${minutes} min ${side} this one: calls that wait and sessions can end early. Synchronize the clocks of all nodes (NTP)`;
}

/** What one node tells another about a retry. */
type ResumeBody = {
  readonly state: WaitState;
  readonly answers: JsonObject;
  readonly bound: string;
  readonly revision: string;
  readonly capabilities: ClientCapabilities;
};

export class GatewayNodes {
  readonly #settings: GatewayNodesSettings;
  readonly #directory: NodeDirectory;
  readonly #envelopes: PeerEnvelopes;
  readonly #listener: PeerListener;
  readonly #agent: Agent = new Agent({ keepAlive: true });
  /** Retries of other nodes that are being answered here, by the nonce of their message. */
  readonly #resumed: Map<string, () => void> = new Map();
  /** Nodes that said that they have stopped. */
  readonly #left: ExpiringMap<true>;
  readonly #takers: Set<(message: SessionMessage) => void> = new Set();
  /** How many are being passed on, by caller. */
  readonly #forwarding: CallerCounts = new CallerCounts(MAX_FORWARDED_PER_CALLER);
  #forwarded = 0;
  #stopHearing: (() => void) | undefined;
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

  /** Begins to take messages for the calls of this bridge. */
  start(bridge: Pick<Bridge, 'resume'>): Promise<void> {
    this.#bridge = bridge;
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Tells the other nodes that this one has ended its calls: what waited here is over, and not unknown. */
  async leave(): Promise<void> {
    const { id, store } = this.#settings;
    if (this.#started === undefined) return;
    await store.channel.publish(CHANNEL, this.#envelopes.sealForAll({ left: id })).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#stopHearing?.();
    await this.#directory.close();
    await this.#listener.close();
    this.#agent.destroy();
  }

  /** Goes on with a call that waits on another node. One hop: that node forwards nothing. */
  async resume(routed: RoutedRequest, state: WaitState, request: ResumingRequest): Promise<CarriedResult> {
    const { label } = state.part;
    if (this.#left.get(state.node) === true)
      throw new RpcError(INVALID_PARAMS, 'requestState cannot be continued: its node has stopped, and ended the call');
    const node = await this.#find(state.node);
    const outcome = node && (await this.#send(node, routed, { state, request }));
    this.#settings.metrics?.count('forwarded_total', {
      kind: 'resume',
      end: outcome === undefined ? 'lost' : 'answered',
    });
    if (outcome === undefined) throw lostCallError(label, 'the node that it waits on is gone');
    return toCarried(outcome);
  }

  /** Takes responses and cancellations that reached other nodes. */
  receive(take: (message: SessionMessage) => void): () => void {
    this.#takers.add(take);
    return () => this.#takers.delete(take);
  }

  /** A response goes to the node whose question it answers; where a cancelled call is, is not known. */
  async forward(message: SessionMessage): Promise<void> {
    const caller = message.principal === '' ? message.session : message.principal;
    if (this.#forwarded >= MAX_FORWARDED || this.#forwarding.isFull(caller)) return;
    this.#forwarded++;
    this.#forwarding.add(caller);
    await this.#forward(message).finally(() => {
      this.#forwarded--;
      this.#forwarding.remove(caller);
    });
  }

  async #forward(message: SessionMessage): Promise<void> {
    const { clock, store, metrics } = this.#settings;
    const node = 'method' in message.message ? undefined : nodeOfQuestion(message.message.id);
    const body = { ...message };
    let isSent = true;
    if (node === undefined)
      await store.channel.publish(CHANNEL, this.#envelopes.sealForAll(body)).catch(() => undefined);
    else {
      const found = this.#left.get(node) === true ? undefined : await this.#find(node);
      const { address = '', aheadMs } = found ?? {};
      const sealed = this.#envelopes.seal(node, 'deliver', body, aheadMs);
      const way = { address, agent: this.#agent, clock, onEvent: () => undefined };
      isSent = found !== undefined && (await sendToPeer({ ...way, ...sealed }, this.#envelopes).ended);
    }
    metrics?.count('forwarded_total', {
      kind: node === undefined ? 'cancel' : 'answer',
      end: isSent ? 'sent' : 'lost',
    });
  }

  async #find(id: string): Promise<FoundNode | undefined> {
    const found = await this.#directory.find(id);
    if (found !== undefined && Math.abs(found.aheadMs) > MAX_DIFFERENCE_MS)
      this.#settings.warnOnce?.(differenceText(id, found.aheadMs));
    return found;
  }

  #hear(body: JsonObject | undefined): void {
    const left = body?.['left'];
    // Every start has another id, so that an old message says nothing new.
    if (typeof left === 'string') this.#left.set(left, true, LEFT_MS);
    else if (body !== undefined) this.#take(body);
  }

  #take(body: JsonObject): void {
    for (const take of this.#takers) take(body as unknown as SessionMessage); // sealed by a node
  }

  async #start(): Promise<void> {
    const { listen, advertise, store } = this.#settings;
    const port = await this.#listener.listen(listen);
    const hear = (sealed: string): void => this.#hear(this.#envelopes.openForAll(sealed));
    this.#stopHearing = store.channel.subscribe(CHANNEL, hear, () => undefined);
    await this.#directory.start(advertise ?? `http://127.0.0.1:${port}`);
  }

  /** The last event of the answer; undefined where the other node is dead. */
  async #send(
    { address, aheadMs }: FoundNode,
    routed: RoutedRequest,
    { state, request }: { readonly state: WaitState; readonly request: ResumingRequest },
  ): Promise<JsonObject | undefined> {
    const { capabilities, revision, bound } = request;
    const answers = routed.retry?.inputResponses ?? {};
    const body: ResumeBody = { state, answers, bound, revision: revision.id, capabilities };
    const { nonce, sealed } = this.#envelopes.seal(state.node, 'resume', body, aheadMs);
    let outcome: JsonObject | undefined;
    const onEvent = (event: JsonObject): void => {
      if (isObject(event['progress']))
        request.onProgress?.(event['progress'] as unknown as Progress); // as the other node got it
      else if (isObject(event['log']))
        request.onLog?.(event['log'] as unknown as LogMessage); // as above
      else outcome = event;
    };
    const message = { address, agent: this.#agent, clock: this.#settings.clock };
    const sent = sendToPeer({ ...message, sealed, nonce, onEvent }, this.#envelopes);
    whenAborted(routed.link, () => {
      // Said in so many words: a connection that breaks cancels nothing.
      const hangUp = this.#envelopes.seal(state.node, 'hangUp', { nonce }, aheadMs);
      void sendToPeer({ ...message, ...hangUp, onEvent: () => undefined }, this.#envelopes).ended.then(() =>
        sent.abort(),
      );
    });
    return (await sent.ended) ? outcome : undefined;
  }

  #receive(envelope: PeerEnvelope, answer: PeerAnswer): void {
    if (envelope.kind === 'resume') {
      void this.#resumeHere(envelope, answer).finally(() => {
        this.#resumed.delete(envelope.nonce);
        answer.end();
      });
      return;
    }
    if (envelope.kind === 'deliver') this.#take(envelope.body);
    else this.#resumed.get(String(envelope.body['nonce']))?.();
    answer.end();
  }

  async #resumeHere({ nonce, body }: PeerEnvelope, answer: PeerAnswer): Promise<void> {
    const { state, answers, bound, revision: id, capabilities } = body as ResumeBody; // sealed by a node
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

/** What became of a call on the node where it waited, as that node tells it. */
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
