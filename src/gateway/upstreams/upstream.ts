/** One server behind the gateway: circuit breaker, queue, conversation pool and cached lists. */
import { messageOf } from '../../errors.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { cutText } from '../../model/cut-text.ts';
import { Masks, maskSecrets } from '../../model/secrets.ts';
import type { PeerSession } from '../../peer/session.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { ListName } from '../../revisions/decode-lists.ts';
import type { SignalSource, UpstreamAudience, UpstreamLease } from '../contract.ts';
import type { UpstreamSpec } from '../spec.ts';
import { CallQueue } from './call-queue.ts';
import { Circuit, type CircuitState } from './circuit.ts';
import { ClientPool } from './client-pool.ts';
import { ListWatches } from './list-watches.ts';
import type { UpstreamConversation } from './upstream-conversation.ts';
import { UpstreamError, withOwnSettings } from './upstream-error.ts';
import { type KeptList, type ListAudience, UpstreamLists } from './upstream-lists.ts';
import { type GatewayContext, type UpstreamSettings, upstreamSettings } from './upstream-settings.ts';

/** The state of an upstream, for operators. */
export interface UpstreamState {
  readonly label: string;
  /** `unknown`: not connected yet. */
  readonly state: 'unknown' | 'connecting' | 'ready' | 'lost' | 'closed';
  /** The negotiated revision. */
  readonly revision: string | undefined;
  readonly circuit: CircuitState;
  readonly conversations: number;
  readonly calls: { readonly open: number; readonly waiting: number };
  /** The number of tools, if its list is known. */
  readonly tools: number | undefined;
  readonly lastFailure: string | undefined;
}

/** How often an unknown name can trigger a refetch. */
const REFRESH_MS = 10_000;
/** Remembered refetches; beyond this, the oldest are evicted. */
const MAX_REFRESHED = 4_000;
/** The length of a failure reason. More of it is searched for secrets, so that truncation cannot split one. */
const MAX_REASON = 2_000;
const MAX_SEARCHED: number = 4 * MAX_REASON;

export class Upstream {
  readonly label: string;
  readonly spec: UpstreamSpec;
  readonly settings: UpstreamSettings;
  readonly lists: UpstreamLists;
  readonly #circuit: Circuit;
  readonly #queue: CallQueue;
  readonly #pool: ClientPool;
  readonly #watches: ListWatches;
  /** Last refetch by list and principal: one caller's unknown names must not block another's refetch. */
  readonly #refreshed: Map<string, number> = new Map();
  readonly #masks: Masks = new Masks();
  #lastFailure: string | undefined;
  /** Why a connection was last lost during calls, to report it once for all of them. */
  #lastLoss: unknown;

  constructor(label: string, spec: UpstreamSpec, context: GatewayContext) {
    this.label = label;
    this.spec = spec;
    this.settings = upstreamSettings(label, spec, context);
    const { circuit, clock, limits, headers = {}, target } = this.settings;
    // A crashing process can print its secrets, and operators read the reason.
    const env = typeof target === 'object' && 'env' in target ? target.env : {};
    for (const value of [...Object.values(headers), ...Object.values(env ?? {})])
      if (typeof value === 'string') this.#masks.add(value);
    this.#circuit = new Circuit(circuit, clock);
    this.#queue = new CallQueue(label, limits, clock);
    this.#pool = new ClientPool(this.settings, this.#circuit, {
      onOpen: (one) => this.#onOpen(one),
      onLost: (reason) => this.#reportLoss(reason),
    });
    this.lists = new UpstreamLists(this.settings, {
      lease: (audience, by) => this.#lease(audience, by),
      reasonOf: (error) => this.#reasonOf(error),
    });
    this.#watches = new ListWatches(this.settings, this.lists, {
      keepOpen: async (audience, signal) => {
        if (this.#circuit.state !== 'closed') throw this.#unavailable();
        return this.#pool.keepOpen(audience, signal);
      },
    });
  }

  get main(): UpstreamConversation | undefined {
    return this.#pool.main;
  }

  get state(): UpstreamState {
    const client = this.main?.client;
    return {
      label: this.label,
      state: client?.state ?? 'unknown',
      revision: client === undefined || client.state === 'closed' ? undefined : client.server.revision,
      circuit: this.#circuit.state,
      conversations: this.#pool.size,
      calls: { open: this.#queue.open, waiting: this.#queue.waiting },
      tools: this.lists.peek('tools', '')?.items.length,
      lastFailure: this.#lastFailure,
    };
  }

  /** Whether callers can see different lists, because they have their own credentials or process. */
  get listsApart(): boolean {
    const { isolate, credentials } = this.settings;
    return credentials.isPersonal || (this.#isProcess && isolate !== 'shared' && isolate !== 'call');
  }

  /** The list of this audience; without one, the gateway's own. */
  listFor(
    list: ListName,
    audience: UpstreamAudience | undefined,
    hops: number,
  ): KeptList | undefined | Promise<KeptList | undefined> {
    const { isPersonal } = this.settings.credentials;
    // With per-caller credentials, the gateway itself cannot list.
    if (isPersonal && audience === undefined) return undefined;
    if (!isPersonal && this.main === undefined) return this.#listLater(list, audience, hops);
    return this.lists.get(list, this.#listAudience(audience, hops));
  }

  keptList(list: ListName, audience: UpstreamAudience | undefined): KeptList | undefined {
    return this.lists.peek(list, this.#listKey(audience));
  }

  /** Whether a caller can see the list that was fetched for this audience. */
  canHaveList(of: UpstreamAudience | undefined, auth: AuthInfo | undefined): boolean {
    if (of === undefined) return true;
    const { credentials } = this.settings;
    if (credentials.isPersonal) return credentials.keyFor(auth) === credentials.keyFor(of.auth);
    return principalOf(auth) === of.principal;
  }

  /** Refetches a list, at most every `REFRESH_MS` per principal. */
  async refreshList(list: ListName, audience: UpstreamAudience, hops: number): Promise<void> {
    const { clock } = this.settings;
    const now = clock.now();
    const whose = `${list} ${audience.principal}`;
    if (now - (this.#refreshed.get(whose) ?? Number.NEGATIVE_INFINITY) < REFRESH_MS) return;
    setNewest(this.#refreshed, whose, now, MAX_REFRESHED);
    await this.lists.refresh(list, this.#listAudience(audience, hops));
  }

  async acquire(audience: UpstreamAudience, by: SignalSource, isCall = true): Promise<UpstreamLease> {
    if (isCall && this.settings.isolate === 'session') this.#pool.checkSession(audience);
    if (!this.#circuit.admits()) throw this.#unavailable();
    let conversation: UpstreamConversation;
    let hasTurn = false;
    try {
      const turn = this.#queue.enter(audience.principal, by);
      if (turn !== undefined) await this.#timed(turn);
      hasTurn = true;
      const taken = this.#pool.acquire(audience, by);
      conversation = taken instanceof Promise ? await taken : taken;
    } catch (error) {
      this.#circuit.abandoned();
      if (!hasTurn) throw error;
      this.#queue.leave();
      throw this.#noteFailure(error);
    }
    return {
      client: conversation,
      release: (isClean = true) => {
        this.#pool.release(conversation, isClean);
        this.#queue.leave();
      },
    };
  }

  /** Whether callers have lists of their own that can be watched. */
  get hasPersonalLists(): boolean {
    const { credentials, isolate } = this.settings;
    return credentials.isPersonal && isolate !== 'call';
  }

  /** Watches the lists of a caller with its own credentials, until the returned function is called. */
  listen(audience: UpstreamAudience): () => void {
    return this.#watches.listen(this.#listKey(audience), audience);
  }

  endSession(session: PeerSession): void {
    this.#pool.endSession(session);
  }

  /** Closes after its last call, at the latest after `drainMs`. */
  async retire(drainMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const stop = this.settings.clock.after(drainMs, resolve, { idle: true });
      this.#queue.onEmpty(() => {
        stop();
        resolve();
      });
    });
    await this.close();
  }

  async close(): Promise<void> {
    this.#watches.close();
    this.lists.close();
    await this.#pool.close();
  }

  #unavailable(): UpstreamError {
    return new UpstreamError(this.label, 'not-sent', 'is not available: it failed several times');
  }

  /** Records the queue time, also for a call that timed out. */
  async #timed(turn: Promise<void>): Promise<void> {
    const { clock, metrics } = this.settings;
    const began = clock.now();
    await turn.finally(() => metrics?.observe('queue_wait_seconds', (clock.now() - began) / 1_000, this.label));
  }

  /** Who shares a list depends on the revision, so the upstream is connected first. */
  async #listLater(
    list: ListName,
    audience: UpstreamAudience | undefined,
    hops: number,
  ): Promise<KeptList | undefined> {
    const first = await this.lists.get(list, { key: '', audience: undefined, hops });
    return this.main === undefined || this.#listKey(audience) === '' ? first : this.listFor(list, audience, hops);
  }

  #listAudience(audience: UpstreamAudience | undefined, hops: number): ListAudience {
    const key = this.#listKey(audience);
    return { key, audience: key === '' ? undefined : audience, hops };
  }

  /** The cache key: the same for all callers, unless they have their own credentials or process. */
  #listKey(audience: UpstreamAudience | undefined): string {
    const { main } = this;
    const { isolate, credentials } = this.settings;
    if (audience !== undefined && credentials.isPersonal) return credentials.keyFor(audience.auth);
    if (audience === undefined || main === undefined) return '';
    const isApart = this.#isProcess && isolate !== 'call';
    return isApart ? this.#pool.keyFor(audience, main.revision) : credentials.keyFor(audience.auth);
  }

  /** Whether each conversation can be a separate server process. */
  get #isProcess(): boolean {
    return this.settings.kind === 'command' || this.settings.kind === 'transport';
  }

  /** Leases a conversation for lists: the gateway's own, or one of the audience. */
  async #lease(audience: UpstreamAudience | undefined, by: SignalSource): Promise<UpstreamLease> {
    if (audience !== undefined) return this.acquire(audience, by, false);
    try {
      return { client: await this.#pool.openMain(), release: () => undefined };
    } catch (error) {
      throw this.#noteFailure(error);
    }
  }

  #noteFailure(error: unknown): unknown {
    this.#lastFailure = this.#reasonOf(error);
    return error;
  }

  #reportLoss(reason: unknown): void {
    if (reason === this.#lastLoss) return;
    this.#lastLoss = reason;
    this.#noteFailure(reason);
    this.settings.warn(`${this.label}: the connection was lost during a call: ${this.#lastFailure}`);
  }

  /** The reason in one line, for operators only: callers are not told why a server is unreachable. */
  #reasonOf(error: unknown): string {
    const cause = error instanceof UpstreamError ? (error.cause ?? error) : error;
    const lines = withOwnSettings(cutText(messageOf(cause), MAX_SEARCHED)).split('\n');
    const line = lines
      .map((one) => one.trim())
      .filter((one) => one !== '')
      .join(' ');
    return maskSecrets(this.#masks.mask(line)).slice(0, MAX_REASON);
  }

  /** Watches for changes over conversations that provide lists. */
  #onOpen(conversation: UpstreamConversation): void {
    const { client, key, audience } = conversation;
    this.#lastFailure = undefined;
    client.onState((state) => {
      if (state === 'ready') this.#lastFailure = undefined;
    });
    const listKey = audience === undefined || this.main === undefined ? '' : this.#listKey(audience);
    // Otherwise, another conversation provides these lists, or a caller with its own credentials.
    if (listKey === key) void this.#watches.follow(conversation, listKey);
  }
}
