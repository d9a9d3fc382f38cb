/** Loads the multi-process code on first use, since most gateways are one process. */
import { randomBytes } from 'node:crypto';
import type { SessionMessage, SessionPeers } from '../../transport/http/session-peers.ts';
import type { Bridge } from '../bridge/bridge.ts';
import type { CarriedResult, ResumingRequest, RoutedRequest, WaitState } from '../contract.ts';
import type { GatewayNodes, GatewayNodesSettings } from './gateway-nodes.ts';

const ID_BYTES = 6;

/** A new id on every start, so that a restarted process is a different node. */
export const makeNodeId = (): string => randomBytes(ID_BYTES).toString('base64url');

export class NodePeers implements SessionPeers {
  readonly #settings: GatewayNodesSettings;
  #nodes: Promise<GatewayNodes> | undefined;

  constructor(settings: GatewayNodesSettings) {
    this.#settings = settings;
  }

  get node(): string {
    return this.#settings.id;
  }

  forward(message: SessionMessage): void {
    void this.#load().then((nodes) => nodes.forward(message));
  }

  receive(take: (message: SessionMessage) => void): () => void {
    const stopped = this.#load().then((nodes) => nodes.receive(take));
    return () => void stopped.then((stop) => stop());
  }

  /** Starts to accept messages for the calls of this bridge. */
  async start(bridge: Bridge): Promise<void> {
    await (await this.#load()).start(bridge);
  }

  readonly resume = async (routed: RoutedRequest, state: WaitState, request: ResumingRequest): Promise<CarriedResult> =>
    (await this.#load()).resume(routed, state, request);

  /** Announces to other nodes that this one has ended its calls. */
  async leave(): Promise<void> {
    await (await this.#nodes)?.leave();
  }

  async close(): Promise<void> {
    await (await this.#nodes)?.close();
  }

  #load(): Promise<GatewayNodes> {
    this.#nodes ??= import('./gateway-nodes.ts').then(({ GatewayNodes: Nodes }) => new Nodes(this.#settings));
    return this.#nodes;
  }
}
