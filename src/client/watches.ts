/** Manages the watches of a client: subscribes on the current connection, and again after a reconnect. */
import { McpError } from '../errors.ts';
import type { Change, ChangeFilter } from '../model/change.ts';
import { backoffMs, MAX_ATTEMPTS } from '../peer/backoff.ts';
import { onAbort, sleep } from '../peer/wait.ts';
import type { ClientConnection } from './connection.ts';
import type { LiveConnection } from './live-connection.ts';
import type { ClientSettings } from './options.ts';
import { isReplaced, type Requests } from './requests.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { matchesFilter, OpenWatch, type Watch } from './watch.ts';

/** A stream of changes that lasted this long resets the backoff. */
const LASTING_MS = 30_000;

export class Watches {
  readonly #connection: ClientConnection;
  readonly #requests: Requests;
  readonly #settings: ClientSettings;
  /** Called for every change, before the watches get it. */
  readonly #onChange: (change: Change) => void;
  readonly #open: Set<OpenWatch> = new Set();
  /** A restart function for the stream of each watch, by its connection. */
  readonly #streams: Map<() => void, LiveConnection> = new Map();
  /** Connections with a `closed` listener, so that many streams of one connection add only one. */
  readonly #observed: WeakSet<LiveConnection> = new WeakSet();
  readonly #subscriptions: WeakMap<LiveConnection, ResourceSubscriptions> = new WeakMap();

  constructor(requests: Requests, onChange: (change: Change) => void) {
    this.#connection = requests.connection;
    this.#requests = requests;
    this.#settings = requests.settings;
    this.#onChange = onChange;
  }

  /** Delivers a change that did not arrive on the stream of a watch. */
  publish(change: Change): void {
    this.#onChange(change);
    for (const watch of this.#open) if (matchesFilter(watch.filter, change)) watch.push(change);
  }

  start(filter: ChangeFilter, signal: AbortSignal | undefined): Watch {
    const watch = new OpenWatch(filter);
    this.#open.add(watch);
    const stop = onAbort(signal, () => watch.end());
    this.#run(watch)
      .then(
        () => watch.end(),
        (error: unknown) => watch.end(error),
      )
      .finally(() => {
        this.#open.delete(watch);
        stop();
      });
    return watch;
  }

  /** Reopens all streams, because the credentials changed. */
  restart(): void {
    for (const restart of this.#streams.keys()) restart();
  }

  close(): void {
    for (const watch of this.#open) watch.end();
  }

  async #run(watch: OpenWatch): Promise<void> {
    let before: LiveConnection | undefined;
    /** Consecutive streams that ended before LASTING_MS. */
    let short = 0;
    let wasReplaced = false;
    for (let first = true; !watch.stopped.aborted; first = false) {
      // Without backoff, a server that responds and then exits would be restarted in a tight loop.
      if (short > 1) await this.#backOff(short, watch);
      const live = await this.#connection.use();
      // The stream broke, but the connection did not, so there was no reconnect to slow down the retry.
      if (live === before && short === 1) await this.#backOff(short, watch);
      const last = live === before && short >= MAX_ATTEMPTS;
      before = live;
      const since = this.#settings.clock.now();
      const end: WatchEnd = watch.stopped.aborted
        ? 'stopped'
        : await this.#watchOn(live, watch, { first, last, wasReplaced });
      wasReplaced = end === 'replaced';
      if (end === 'stopped') return;
      const lasted = this.#settings.clock.now() - since >= LASTING_MS;
      // A server that shuts down ends the streams of all clients together: the backoff avoids a thundering herd.
      short = lasted ? (end === 'ended' ? 1 : 0) : short + 1;
    }
  }

  #backOff(failed: number, watch: OpenWatch): Promise<void> {
    const { clock, random } = this.#settings;
    return sleep(clock, backoffMs(failed, random()), watch.stopped).catch(() => undefined);
  }

  /** Restarts the streams of a connection when it is closed. */
  #observeClose(live: LiveConnection): void {
    if (this.#observed.has(live)) return;
    this.#observed.add(live);
    void live.connection.closed.then(() => {
      for (const [restart, on] of this.#streams) if (on === live) restart();
    });
  }

  /**
   * Watches on one connection, until it is lost or the server ends the stream; the caller then retries, since the server has probably
   * restarted. On the last attempt, the end of the stream ends the watch.
   */
  async #watchOn(
    live: LiveConnection,
    watch: OpenWatch,
    { first, last, wasReplaced }: WatchAttempt,
  ): Promise<WatchEnd> {
    const stream = new AbortController();
    const unhook = onAbort(watch.stopped, () => stream.abort());
    let lost = false;
    const restart = (): void => {
      lost = true;
      stream.abort();
    };
    this.#streams.set(restart, live);
    this.#observeClose(live);
    const deliver = (change: Change): void => {
      this.#onChange(change);
      watch.push(change);
    };
    const { signal } = stream;
    try {
      await live.revision.feeds.watch(watch.filter, {
        signal,
        server: live.server,
        listen: (method, params, notify) =>
          this.#requests.send(method, params, { on: live, signal, notify, standing: true }),
        subscribe: (uri) => this.#subscriptionsOn(live).subscribe(uri, signal),
        standing: live.connection.standing,
        deliver,
        granted: (filter, isWhole = first) => {
          watch.grant(filter);
          // The server did not report changes while there was no stream, so report a change of everything.
          if (!isWhole) for (const change of changesIn(filter)) deliver(change);
        },
      });
    } catch (error) {
      if (!lost && !wasReplaced && isReplaced(error, live)) {
        this.#connection.abandon(live);
        return 'replaced';
      }
      if (!(lost || watch.stopped.aborted || (isOffline(error) && !last))) throw error;
      lost = !watch.stopped.aborted;
    } finally {
      this.#streams.delete(restart);
      unhook();
    }
    if (watch.stopped.aborted) return 'stopped';
    return lost ? 'lost' : last ? 'stopped' : 'ended';
  }

  #subscriptionsOn(live: LiveConnection): ResourceSubscriptions {
    const known = this.#subscriptions.get(live);
    if (known !== undefined) return known;
    const made = new ResourceSubscriptions((method, uri) => this.#requests.send(method, { uri }, { on: live }));
    this.#subscriptions.set(live, made);
    return made;
  }
}

/** Why watching on one connection ended: the connection was lost, the server was replaced or ended the stream, or the watch has ended. */
type WatchEnd = 'lost' | 'replaced' | 'ended' | 'stopped';

interface WatchAttempt {
  readonly first: boolean;
  /** If this attempt fails, the watch fails with its error. */
  readonly last: boolean;
  /** A new revision was negotiated because of the attempt before. */
  readonly wasReplaced: boolean;
}

const isOffline = (error: unknown): boolean => error instanceof McpError && error.kind === 'offline';

function* changesIn(filter: ChangeFilter): Generator<Change, void, undefined> {
  if (filter.toolsListChanged === true) yield { kind: 'tools' };
  if (filter.promptsListChanged === true) yield { kind: 'prompts' };
  if (filter.resourcesListChanged === true) yield { kind: 'resources' };
  for (const uri of filter.resourceSubscriptions ?? []) yield { kind: 'resource', uri };
}
