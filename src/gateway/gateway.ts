/** `createGateway`: a server to its callers and a client to its upstreams. Each side negotiates its own revision and capabilities. */
import { badDefinition } from '../errors.ts';
import { defined } from '../jsonrpc/message.ts';
import type { Implementation } from '../model/caller.ts';
import type { MirroredHeader } from '../model/mirrored-headers.ts';
import { networkReason } from '../model/printable.ts';
import { systemClock } from '../peer/clock.ts';
import type { Servable, ServedConversation } from '../peer/exchange.ts';
import { Warnings } from '../peer/warnings.ts';
import { revisions } from '../revisions/index.ts';
import type { SessionPeers } from '../transport/http/session-peers.ts';
import { Bridge } from './bridge/bridge.ts';
import { CallStates } from './bridge/call-states.ts';
import type { NoteStoreFailure } from './contract.ts';
import { GatewayNodes, type GatewayNodesSettings, makeNodeId } from './nodes/gateway-nodes.ts';
import { GatewayLock } from './policy/gateway-lock.ts';
import { policyOf } from './policy/gateway-policy.ts';
import { WindowCounts } from './policy/window-counts.ts';
import { checkGatewaySpec, DEFAULT_VIEW, type GatewaySpec, type PeerSpec } from './spec.ts';
import { Upstream, type UpstreamState } from './upstreams/upstream.ts';
import { UpstreamSet } from './upstreams/upstream-set.ts';
import type { GatewayState } from './view/gateway-state.ts';
import { GatewayView } from './view/gateway-view.ts';
import { ViewChannel } from './view/view-channel.ts';

/** A `Servable` for the view `default`; `view(name)` returns the others. */
export interface Gateway extends Required<Servable>, AsyncDisposable {
  view(name: string): Required<Servable>;
  /** Pass it as `peers` to the HTTP server if several processes form one gateway. */
  readonly peers: SessionPeers | undefined;
  /** The state of each upstream, by label. */
  readonly upstreams: ReadonlyMap<string, UpstreamState>;
  /**
   * Applies a new spec from the next message on. If the spec is invalid, throws and changes nothing. An upstream whose spec is the
   * identical object keeps its conversations; calls to removed upstreams have `drainMs` to finish (default: 25 s).
   */
  reload(spec: GatewaySpec, drainMs?: number): void;
  /**
   * Closes all upstream conversations; transports close those with callers. Calls that wait for answers are cancelled. With `drainMs`,
   * calls whose answers can arrive through other processes get that long first.
   */
  close(drainMs?: number): Promise<void>;
}

const DRAIN_MS = 25_000;

/** Creates a gateway. It connects to its upstreams when the first caller arrives. */
export function createGateway(spec: GatewaySpec): Gateway {
  return new GatewayServer(spec);
}

export class GatewayServer implements Gateway {
  #state: GatewayState;
  readonly #default: ViewChannel = new ViewChannel(DEFAULT_VIEW, () => this.#state);
  readonly #channels: Map<string, ViewChannel> = new Map([[DEFAULT_VIEW, this.#default]]);
  #unfollow: readonly (() => void)[] = [];

  constructor(spec: GatewaySpec) {
    this.#state = makeState(spec);
    this.#followAll();
  }

  get peers(): SessionPeers | undefined {
    return this.#state.nodes;
  }

  get upstreams(): ReadonlyMap<string, UpstreamState> {
    return new Map([...this.#state.upstreams.all].map(([label, upstream]) => [label, upstream.state]));
  }

  view(name: string): Required<Servable> {
    const { views } = this.#state;
    if (!views.has(name)) {
      const known = [...views.keys()].join(', ');
      throw badDefinition(`The view "${name}"`, `unknown view; known are ${known}`);
    }
    const channel = this.#channels.get(name) ?? new ViewChannel(name, () => this.#state);
    this.#channels.set(name, channel);
    return channel;
  }

  get revisions(): readonly string[] {
    return this.#default.revisions;
  }
  prepare(): Promise<void> {
    return this.#default.prepare();
  }
  open(...[push, session]: Parameters<Servable['open']>): ServedConversation {
    return this.view(DEFAULT_VIEW).open(push, session);
  }
  mirrored(...[request, auth]: Parameters<ViewChannel['mirrored']>): readonly MirroredHeader[] {
    return this.#default.mirrored(request, auth);
  }
  nameParam(): undefined {
    return undefined;
  }
  scopes(): readonly string[] {
    return this.#default.scopes();
  }

  reload(spec: GatewaySpec, drainMs: number = DRAIN_MS): void {
    const { state, gone } = remakeState(spec, this.#state);
    this.#state = state;
    this.#followAll();
    for (const { listening } of this.#channels.values()) listening.renew();
    this.#tellOfAll();
    for (const upstream of gone) void upstream.retire(drainMs);
  }

  get state(): GatewayState {
    return this.#state;
  }

  async close(drainMs?: number): Promise<void> {
    const { bridge, nodes } = this.#state;
    for (const unfollow of this.#unfollow) unfollow();
    for (const { changes } of this.#channels.values()) changes.close();
    if (drainMs !== undefined) await bridge.drain(nodes === undefined ? 0 : drainMs);
    try {
      await bridge.close();
      await nodes?.leave();
      await nodes?.close();
    } finally {
      // Also after a failure of the store that the nodes share: upstreams can be processes.
      await Promise.all([...this.#state.upstreams.all.values()].map((upstream) => upstream.close()));
    }
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #followAll(): void {
    const { upstreams, lock } = this.#state;
    for (const unfollow of this.#unfollow) unfollow();
    const lists = [...upstreams.all].map(([label, upstream]) =>
      upstream.lists.onChange((change) => {
        for (const channel of this.#channels.values()) channel.tellOfList(label, change);
      }),
    );
    this.#unfollow = lock === undefined ? lists : [...lists, lock.follow(() => this.#tellOfAll())];
  }

  /** Any list of any view can have changed. */
  #tellOfAll(): void {
    for (const channel of this.#channels.values())
      if (this.#state.views.has(channel.name))
        for (const kind of ['tools', 'prompts', 'resources'] as const) channel.tell(kind);
  }
}

function makeState(spec: GatewaySpec): GatewayState {
  checkGatewaySpec(spec);
  const { clock = systemClock } = spec;
  const warnings = new Warnings(spec.onWarning);
  const upstreams = new UpstreamSet(new Map());
  const node = makeNodeId();
  const { metrics } = spec;
  const noteStoreFailure: NoteStoreFailure = (use, error) => {
    metrics?.count('store_failures_total', { use });
    warnings.once(`The shared store failed (${use}): ${networkReason(error)}`);
  };
  const nodes = nodesOf(spec, { id: node, clock, metrics, noteStoreFailure, warnOnce: (one) => warnings.once(one) });
  const { stateKeys: keys, stateLog: log } = spec;
  const states = new CallStates({ clock, keys, log, noteStoreFailure, node, wallOf: nodes?.wallOf });
  const bridge = new Bridge({ upstreams, states, clock, node, metrics, resumeElsewhere: nodes?.resume });
  const counts = new WindowCounts(clock);
  const { warn } = warnings;
  return remakeState(spec, { upstreams, states, bridge, nodes, counts, clock, warn, noteStoreFailure }).state;
}

/** Undefined for a gateway of one process. */
function nodesOf(
  { peer, stateKeys }: GatewaySpec,
  own: Omit<GatewayNodesSettings, keyof PeerSpec>,
): GatewayNodes | undefined {
  if (peer === undefined) return undefined;
  if (stateKeys === undefined) throw badDefinition('peer', 'processes of one gateway must have the same "stateKeys"');
  return new GatewayNodes({ ...own, ...peer });
}

/** Builds the state for a new spec. The bridge and the counters survive, because calls can be waiting. */
function remakeState(
  spec: GatewaySpec,
  kept: Omit<GatewayState, 'info' | 'instructions' | 'revisions' | 'views' | 'lock' | 'policy' | 'metrics'>,
): { readonly state: GatewayState; readonly gone: readonly Upstream[] } {
  checkGatewaySpec(spec);
  const { name, version, title, instructions, names = {} } = spec;
  const { upstreams, states, bridge, counts, clock, warn, noteStoreFailure } = kept;
  const visitCompleted = (label: string, id: string): void => bridge.visitCompleted(label, id);
  const { metrics, sandbox } = spec;
  const context = { clock, name, version, warn, visitCompleted, sandbox, metrics };
  const all = new Map(
    Object.entries(spec.upstreams).map(([label, one]): [string, Upstream] => {
      const known = upstreams.all.get(label);
      return [label, known !== undefined && known.spec === one ? known : new Upstream(label, one, context)];
    }),
  );
  const lock = spec.lock && new GatewayLock(spec.lock, clock, warn);
  const parts = { upstreams: all, names, lock, warnings: new Warnings(warn) };
  const views = spec.views ?? { [DEFAULT_VIEW]: { of: [...all.keys()] } };
  const state: GatewayState = {
    ...kept,
    info: Object.freeze(defined<Implementation>({ name, version, title })),
    instructions,
    revisions: revisions.filter(({ id }) => spec.revisions?.includes(id) ?? true),
    views: new Map(Object.entries(views).map(([view, one]) => [view, new GatewayView(view, one, parts)])),
    lock,
    policy: policyOf(spec, all, { states, clock, counts, metrics, noteStoreFailure, onWarning: warn }),
    metrics,
  };
  // Last, so that an invalid spec throws before anything changes.
  if (spec.stateKeys !== undefined) states.useKeys(spec.stateKeys);
  return { state, gone: upstreams.replace(all) };
}
