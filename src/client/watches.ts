/** Everything a client watches: subscribed to on the current connection, and again on the next one. */
import { McpError } from '../errors.ts';
import type { JsonObject } from '../jsonrpc/message.ts';
import type { Change, ChangeFilter } from '../model/change.ts';
import { backoffMs, MAX_ATTEMPTS } from '../peer/backoff.ts';
import { onAbort, sleep } from '../peer/wait.ts';
import type { WatchRequest } from '../revisions/contract.ts';
import type { ClientConnection, LiveConnection } from './connection.ts';
import type { ClientSettings } from './options.ts';
import type { Requests } from './requests.ts';
import { matchesFilter, OpenWatch, type Watch } from './watch.ts';

/** A stream of changes that lasted so long did not fail. */
const LASTING_MS = 30_000;

export class Watches {
  readonly #connection: ClientConnection;
  readonly #requests: Requests;
  readonly #settings: ClientSettings;
  /** Gets every change before the watches do. */
  readonly #onChange: (change: Change) => void;
  readonly #open: Set<OpenWatch> = new Set();
  /** Each ends the stream of a watch, which then opens another; with the connection that it is on. */
  readonly #streams: Map<() => void, LiveConnection> = new Map();
  /** Those whose end is waited for: once, since many streams of one connection can come and go. */
  readonly #followed: WeakSet<LiveConnection> = new WeakSet();
  /** How many watches want a resource, by connection: the last one to leave unsubscribes. */
  readonly #wanted: WeakMap<LiveConnection, Map<unknown, number>> = new WeakMap();

  constructor(requests: Requests, onChange: (change: Change) => void) {
    this.#connection = requests.connection;
    this.#requests = requests;
    this.#settings = requests.settings;
    this.#onChange = onChange;
  }

  /** A change that came on no watch's own stream. */
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

  /** Streams that were opened with other credentials are opened again. */
  restart(): void {
    for (const restart of this.#streams.keys()) restart();
  }

  close(): void {
    for (const watch of this.#open) watch.end();
  }

  async #run(watch: OpenWatch): Promise<void> {
    let before: LiveConnection | undefined;
    /** Turns in a row that did not last. */
    let short = 0;
    for (let first = true; !watch.stopped.aborted; first = false) {
      // A server that answers and then ends would otherwise be started again and again.
      if (short > 1) await this.#pause(short, watch);
      const live = await this.#connection.use();
      // The stream broke off, and the connection did not, so nothing else slows down the next attempt.
      if (live === before && short === 1) await this.#pause(short, watch);
      const last = live === before && short >= MAX_ATTEMPTS;
      before = live;
      const since = this.#settings.clock.now();
      const end = watch.stopped.aborted ? 'over' : await this.#watchOn(live, watch, { first, last });
      if (end === 'over') return;
      const lasted = this.#settings.clock.now() - since >= LASTING_MS;
      // All clients of a server that ends are told so at the same moment, and do not come back at once.
      short = lasted ? (end === 'ended' ? 1 : 0) : short + 1;
    }
  }

  #pause(failed: number, watch: OpenWatch): Promise<void> {
    const { clock, random } = this.#settings;
    return sleep(clock, backoffMs(failed, random()), watch.stopped).catch(() => undefined);
  }

  #follow(live: LiveConnection): void {
    if (this.#followed.has(live)) return;
    this.#followed.add(live);
    void live.connection.closed.then(() => {
      for (const [restart, on] of this.#streams) if (on === live) restart();
    });
  }

  /**
   * Watches on one connection. The watch goes on with the next one where that was lost, and where the server ended the stream: most
   * often it is restarted. One that does so again and again, or cannot be reached, is believed.
   */
  async #watchOn(live: LiveConnection, watch: OpenWatch, { first, last }: WatchAttempt): Promise<WatchEnd> {
    const over = new AbortController();
    const unhook = onAbort(watch.stopped, () => over.abort());
    let lost = false;
    const restart = (): void => {
      lost = true;
      over.abort();
    };
    this.#streams.set(restart, live);
    this.#follow(live);
    const deliver = (change: Change): void => {
      this.#onChange(change);
      watch.push(change);
    };
    try {
      await live.revision.feeds.watch(watch.filter, {
        signal: over.signal,
        server: live.server,
        request: (method, params, options) => this.#request(live, method, { params, options }),
        standing: live.connection.standing,
        deliver,
        granted: (filter, isWhole = first) => {
          watch.grant(filter);
          // Changes while there was no connection were not reported.
          if (!isWhole) for (const change of changesIn(filter)) deliver(change);
        },
      });
    } catch (error) {
      if (!(lost || watch.stopped.aborted || (isLoss(error) && !last))) throw error;
      lost = !watch.stopped.aborted;
    } finally {
      this.#streams.delete(restart);
      unhook();
    }
    if (watch.stopped.aborted) return 'over';
    return lost ? 'lost' : last ? 'over' : 'ended';
  }

  async #request(live: LiveConnection, method: string, { params, options }: WatchStart): Promise<JsonObject> {
    if (!this.#counts(live, method, params['uri'])) return {};
    const { signal, notify, standing = false } = options;
    const [result] = await this.#requests.send(method, params, { on: live, signal, notify, standing });
    return result;
  }

  /** Whether a request makes a difference: the first to want a resource subscribes, the last one unsubscribes. */
  #counts(live: LiveConnection, method: string, uri: unknown): boolean {
    const step = method === 'resources/subscribe' ? 1 : method === 'resources/unsubscribe' ? -1 : 0;
    if (step === 0) return true;
    const wanted = this.#wanted.get(live) ?? new Map<unknown, number>();
    this.#wanted.set(live, wanted);
    const count = (wanted.get(uri) ?? 0) + step;
    wanted.set(uri, count);
    return step === 1 ? count === 1 : count === 0;
  }
}

/** How it was on one connection: the connection was lost, the server ended the stream, or the watch is over. */
type WatchEnd = 'lost' | 'ended' | 'over';

interface WatchAttempt {
  readonly first: boolean;
  /** The last attempt: its failure is the watch's. */
  readonly last: boolean;
}
interface WatchStart {
  readonly params: JsonObject;
  readonly options: WatchRequest;
}

const isLoss = (error: unknown): boolean => error instanceof McpError && error.kind === 'offline';

function* changesIn(filter: ChangeFilter): Generator<Change, void, undefined> {
  if (filter.toolsListChanged === true) yield { kind: 'tools' };
  if (filter.promptsListChanged === true) yield { kind: 'prompts' };
  if (filter.resourcesListChanged === true) yield { kind: 'resources' };
  for (const uri of filter.resourceSubscriptions ?? []) yield { kind: 'resource', uri };
}
