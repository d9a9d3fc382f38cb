/**
 * Watches an upstream for changes of its lists: over each conversation that provides them, and for callers with their own
 * credentials over one of theirs, for as long as they listen.
 */
import type { Client } from '../../client/index.ts';
import { joinSignals, untilAborted } from '../../peer/wait.ts';
import type { UpstreamAudience } from '../contract.ts';
import type { UpstreamConversation } from './upstream-conversation.ts';
import type { UpstreamLists } from './upstream-lists.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** Delay before a failed subscription to changes is repeated. */
const WATCH_AGAIN_MS = 30_000;
/** The share of an upstream's conversations that can be kept open for callers who only listen: calls must find room. */
const LISTENING_SHARE = 0.5;

export interface ListWatchesSource {
  /** A conversation of this audience, which stays open until `signal` aborts or a call needs its place. */
  keepOpen(audience: UpstreamAudience, signal: AbortSignal): Promise<UpstreamConversation>;
}

/** Callers with the same credentials that listen for changes. */
interface ListenerGroup {
  readonly audiences: Set<UpstreamAudience>;
  readonly end: AbortController;
}

/** One subscription to the changes of an upstream's lists. */
interface ListWatch {
  readonly listKey: string;
  /** If false, changes before the subscription were missed. */
  readonly isWhole: boolean;
  readonly signal: AbortSignal;
}

export class ListWatches {
  readonly #settings: UpstreamSettings;
  readonly #lists: UpstreamLists;
  readonly #source: ListWatchesSource;
  readonly #closing: AbortController = new AbortController();
  /** By list key. */
  readonly #listening: Map<string, ListenerGroup> = new Map();
  /** The last reason why changes could not be watched, to report it once. */
  #fault: string | undefined;

  constructor(settings: UpstreamSettings, lists: UpstreamLists, source: ListWatchesSource) {
    this.#settings = settings;
    this.#lists = lists;
    this.#source = source;
  }

  /** Watches over this conversation, for as long as it is open. */
  async follow({ client, revision }: UpstreamConversation, listKey: string): Promise<void> {
    client.onState((state) => {
      if (state === 'ready') this.#lists.invalidateAll(listKey);
    });
    // They are of an earlier conversation, and maybe of an earlier process.
    if (this.#lists.isKnown(listKey)) this.#lists.invalidateAll(listKey);
    if (!reportsChanges(client)) return;
    const { signal } = this.#closing;
    // A session reports changes from its start, so nothing was missed before the first watch.
    let isWhole = revision.hasSessions;
    await this.#repeat(signal, async () => {
      await this.#watch(client, { listKey, isWhole, signal });
      isWhole = false;
      return isOpen(client);
    });
  }

  /** Watches for a caller with its own credentials, until the returned function is called. */
  listen(listKey: string, audience: UpstreamAudience): () => void {
    const known = this.#listening.get(listKey);
    known?.audiences.add(audience);
    const callers = known ?? this.#firstListener(listKey, audience);
    if (callers === undefined) return () => undefined;
    const { audiences, end } = callers;
    return () => {
      if (!audiences.delete(audience) || audiences.size > 0) return;
      this.#listening.delete(listKey);
      end.abort();
    };
  }

  close(): void {
    this.#closing.abort();
  }

  /** Undefined if too many conversations are kept open for listening callers. */
  #firstListener(listKey: string, audience: UpstreamAudience): ListenerGroup | undefined {
    if (this.#listening.size >= this.#settings.limits.clients * LISTENING_SHARE) return undefined;
    const callers: ListenerGroup = { audiences: new Set([audience]), end: new AbortController() };
    this.#listening.set(listKey, callers);
    const signal = joinSignals(this.#closing.signal, callers.end.signal);
    void this.#repeat(signal, () => this.#watchFor(callers.audiences, listKey, signal));
    return callers;
  }

  /** Watches over a conversation of one of these callers. Returns false if the upstream reports no changes. */
  async #watchFor(audiences: ReadonlySet<UpstreamAudience>, listKey: string, signal: AbortSignal): Promise<boolean> {
    const [audience] = audiences;
    if (audience === undefined) return false;
    const over = new AbortController();
    try {
      const { client } = await this.#source.keepOpen(audience, joinSignals(signal, over.signal));
      if (!reportsChanges(client)) return false;
      // Its calls and lists can have opened it long before.
      await this.#watch(client, { listKey, isWhole: false, signal });
      return true;
    } finally {
      over.abort();
    }
  }

  /** Watches again, after a pause, until the signal aborts or `watch` returns false. */
  async #repeat(signal: AbortSignal, watch: () => Promise<boolean>): Promise<void> {
    // A conversation that cannot be opened is reported where the list is fetched.
    while (!signal.aborted && (await watch().catch(() => true))) {
      let stop: () => void = () => undefined;
      const pause = new Promise<void>((resolve) => {
        stop = this.#settings.clock.after(WATCH_AGAIN_MS, resolve, { idle: true });
      });
      await untilAborted(pause, signal).catch(stop);
    }
  }

  /** Watches until the upstream ends it or fails. */
  async #watch(client: Client, { listKey, isWhole, signal }: ListWatch): Promise<void> {
    const watch = client.watch({ tools: true, prompts: true, resources: true }, { signal });
    watch.granted.then(
      (granted) => {
        if (signal.aborted) return;
        this.#lists.follow(listKey, granted);
        if (!isWhole) this.#lists.invalidateAll(listKey);
      },
      () => undefined,
    );
    try {
      for await (const { kind } of watch) if (kind !== 'resource') this.#lists.invalidate(kind, listKey);
    } catch (error) {
      const fault = String(error);
      if (isOpen(client) && fault !== this.#fault)
        this.#settings.warn(`${this.#settings.label}: changes of its lists are not reported: ${fault}`);
      this.#fault = fault;
    } finally {
      this.#lists.follow(listKey, {});
    }
  }
}

const isOpen = ({ state }: Client): boolean => state !== 'closed';

const reportsChanges = ({ server: { capabilities } }: Client): boolean =>
  [capabilities.tools, capabilities.prompts, capabilities.resources].some((one) => one?.listChanged === true);
