/** One server behind the gateway: its circuit, its queue, its conversations and its lists. */
import type { AuthInfo } from '../../model/caller.ts';
import type { Change } from '../../model/change.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { ListName } from '../../revisions/decode-lists.ts';
import type { UpstreamAudience, UpstreamLease } from '../contract.ts';
import { type KeptList, UpstreamLists } from '../lists/upstream-lists.ts';
import type { UpstreamSpec } from '../spec.ts';
import { CallQueue } from './call-queue.ts';
import { Circuit, type CircuitState } from './circuit.ts';
import { ClientPool } from './client-pool.ts';
import type { UpstreamConversation } from './upstream-conversation.ts';
import { UpstreamError } from './upstream-error.ts';
import { type GatewayFacts, type UpstreamSettings, upstreamSettings } from './upstream-settings.ts';

/** What an operator wants to know of an upstream. */
export interface UpstreamState {
  readonly label: string;
  /** `unknown` before the first connection. */
  readonly state: 'unknown' | 'connecting' | 'ready' | 'lost' | 'closed';
  /** The revision that was agreed on. */
  readonly revision: string | undefined;
  readonly circuit: CircuitState;
  readonly conversations: number;
  readonly calls: { readonly open: number; readonly waiting: number };
  /** How many tools it lists, where that is known. */
  readonly tools: number | undefined;
  readonly lastFailure: string | undefined;
}

/** How often a name that is not listed makes a list be fetched again. */
const REFRESH_MS = 10_000;
/** How often it is looked whether the last call of an upstream has ended that is gone. */
const RETIRE_LOOK_MS = 50;

export class Upstream {
  readonly label: string;
  readonly spec: UpstreamSpec;
  readonly settings: UpstreamSettings;
  readonly lists: UpstreamLists;
  readonly #circuit: Circuit;
  readonly #queue: CallQueue;
  readonly #pool: ClientPool;
  readonly #watching: AbortController = new AbortController();
  readonly #refreshed: Map<ListName, number> = new Map();
  #main: UpstreamConversation | undefined;
  #opening: Promise<UpstreamConversation> | undefined;
  #lastFailure: string | undefined;

  constructor(label: string, spec: UpstreamSpec, facts: GatewayFacts) {
    this.label = label;
    this.spec = spec;
    this.settings = upstreamSettings(label, spec, facts);
    const { circuit, clock, limits } = this.settings;
    this.#circuit = new Circuit(circuit, clock);
    this.#queue = new CallQueue(label, limits, clock);
    this.#pool = new ClientPool(this.settings, this.#circuit);
    this.lists = new UpstreamLists(this.settings, () => this.meet());
  }

  /** The gateway's own conversation, if there was one. */
  get met(): UpstreamConversation | undefined {
    return this.#main;
  }

  get state(): UpstreamState {
    const client = this.#main?.client;
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

  /** Connects, where that was not done yet, and follows the changes of its lists. */
  async meet(): Promise<UpstreamConversation> {
    if (this.#main !== undefined) return this.#main;
    this.#opening ??= this.#pool
      .main()
      .then((main) => {
        this.#main = main;
        this.#lastFailure = undefined;
        void this.#follow(main);
        return main;
      })
      .catch((error: unknown) => {
        this.#lastFailure = error instanceof Error ? String(error.cause ?? error) : String(error);
        throw error;
      })
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** Its list, as this caller gets it: the same for all, unless each has credentials of its own there. */
  listFor(
    list: ListName,
    auth: AuthInfo | undefined,
    hops: number,
  ): KeptList | undefined | Promise<KeptList | undefined> {
    return this.lists.get(list, this.settings.credentials.keyFor(auth), hops);
  }
  keptList(list: ListName, auth: AuthInfo | undefined): KeptList | undefined {
    return this.lists.peek(list, this.settings.credentials.keyFor(auth));
  }

  /** Fetches it again, at most once in a while. */
  async refreshList(list: ListName, auth: AuthInfo | undefined, hops: number): Promise<void> {
    const { clock } = this.settings;
    const now = clock.now();
    if (now - (this.#refreshed.get(list) ?? Number.NEGATIVE_INFINITY) < REFRESH_MS) return;
    this.#refreshed.set(list, now);
    await this.lists.refresh(list, this.settings.credentials.keyFor(auth), hops);
  }

  async acquire(audience: UpstreamAudience, signal: AbortSignal): Promise<UpstreamLease> {
    const { label } = this;
    if (!this.#circuit.admits())
      throw new UpstreamError(label, 'not-sent', 'is not available: it failed several times');
    const turn = this.#queue.enter(audience.principal, signal);
    if (turn !== undefined) await turn;
    let conversation: UpstreamConversation;
    try {
      if (this.#main === undefined) await this.meet();
      conversation = await this.#pool.take(audience, signal);
    } catch (error) {
      this.#queue.leave();
      throw error;
    }
    return {
      client: conversation,
      release: (isClean = true) => {
        this.#pool.give(conversation, isClean);
        this.#queue.leave();
      },
    };
  }

  endSession(session: PeerSession): void {
    this.#pool.endSession(session);
  }

  /** Closes when its last call has ended, or after `drainMs`. */
  async retire(drainMs: number): Promise<void> {
    const { clock } = this.settings;
    const until = clock.now() + drainMs;
    while (this.#queue.open > 0 && clock.now() < until)
      await new Promise<void>((resolve) => void clock.after(RETIRE_LOOK_MS, resolve, { idle: true }));
    await this.close();
  }

  async close(): Promise<void> {
    this.#watching.abort();
    await this.#pool.close();
  }

  /** Lists are fetched again when the upstream says that they changed, and when it was away. */
  async #follow({ client }: UpstreamConversation): Promise<void> {
    client.onState((state) => {
      if (state === 'ready') this.lists.invalidateAll();
    });
    const { tools, prompts, resources } = client.server.capabilities;
    const filter = {
      tools: tools?.listChanged === true,
      prompts: prompts?.listChanged === true,
      resources: resources?.listChanged === true,
    };
    if (!Object.values(filter).includes(true)) return;
    try {
      const watch = client.watch(filter, { signal: this.#watching.signal });
      watch.granted.then(
        () => this.lists.follow(filter),
        () => undefined,
      );
      for await (const change of watch) this.#changed(change);
    } catch (error) {
      this.settings.warn(`${this.label}: changes of its lists are not reported: ${String(error)}`);
    }
    this.lists.follow({});
  }

  #changed(change: Change): void {
    if (change.kind !== 'resource') this.lists.invalidate(change.kind);
  }
}
