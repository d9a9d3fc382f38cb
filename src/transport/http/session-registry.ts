/** Sessions in a store. Finds each for its own caller only, expires and evicts sessions, and tolerates a store that is unavailable. */
import { isPromise } from '../../jsonrpc/message.ts';
import { toBase64Url } from '../../model/base64.ts';
import { principalOf } from '../../model/caller.ts';
import { callHook } from '../../peer/call-hook.ts';
import { nextTurn } from '../../peer/runtime.ts';
import { CallerCounts, callerKey } from './caller-counts.ts';
import { limitSessionStore, wrongReturn } from './limit-stores.ts';
import { type HttpSessionContext, LiveSession, type SessionOwner } from './live-session.ts';
import { HttpRejection } from './rejections.ts';
import {
  isChanged,
  isStoredSession,
  type SessionStore,
  type StoreOperation,
  type VersionedSession,
} from './session-store.ts';
import { refreshSession, SessionWriter } from './session-writer.ts';
import type { HttpSessions, SessionCaller } from './sessions.ts';

/** Interval of the search for unused sessions. */
const SWEEP_MS = 60_000;
/** At each sweep, a process touches the sessions that it has in use. One untouched for two sweeps is unused everywhere. */
const QUIET_MS = 2 * SWEEP_MS;
/** How long a live session continues while the store is unavailable, and so does not notice that another process ended it. */
const STALE_MS = 30_000;
/** Precision of the stored time of last use. */
const TOUCH_MS = 1_000;

export class SessionRegistry implements HttpSessions {
  readonly methods = 'POST, GET, DELETE';
  readonly #context: HttpSessionContext;
  readonly #store: SessionStore;
  readonly #writer: SessionWriter;
  readonly #owner: SessionOwner;
  /** In order of last use. */
  readonly #live: Map<string, LiveSession> = new Map();
  readonly #counts: CallerCounts;
  #stopSweeping: (() => void) | undefined;
  readonly #stopReceiving: (() => void) | undefined;

  constructor(context: HttpSessionContext, store: SessionStore) {
    this.#context = context;
    this.#store = limitSessionStore(store, context.settings.clock);
    const report = (thrown: unknown): void => this.#report(thrown, 'put');
    this.#writer = new SessionWriter({
      store: this.#store,
      settings: context.settings,
      isLive: (id) => this.#live.has(id),
      report,
    });
    this.#counts = new CallerCounts(context.settings.maxSessionsPerCaller);
    // Deferred, so that the response to the request that ends the session is sent first.
    const endLater = (id: string): Promise<void> => nextTurn().then(() => this.#end(id, 'the client asked for it'));
    this.#owner = { ...context, onEndRequested: (id) => this.#inBackground('delete', () => endLater(id)) };
    this.#stopReceiving = context.settings.peers?.receive(({ session, principal, message }) => {
      const live = this.#live.get(session);
      if (live?.principal === principal) live.take(message);
    });
  }

  /** Whether the caller has reached the limit, and has no idle session to evict. */
  isFull({ auth, view }: SessionCaller): boolean {
    const caller = callerKey(auth, view.address);
    return this.#counts.isFull(caller) && this.#idlest(caller)?.idle !== true;
  }

  /** Creates a session before its handshake. It cannot be found before `add`. */
  create({ auth, view }: SessionCaller): LiveSession {
    const now = this.#context.settings.clock.wall();
    // 192 random bits, in visible ASCII.
    const id = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    const fresh = { session: {}, principal: principalOf(auth), createdAt: now, usedAt: now };
    return new LiveSession(id, { ...fresh, caller: callerKey(auth, view.address) }, this.#owner);
  }

  async add(live: LiveSession): Promise<string> {
    const putting = this.#writer.put(live, live.session).catch((thrown: unknown) => this.#fail(thrown, 'put'));
    if ((await putting) !== true) throw new Error('A new session has the id of another one');
    // Counted in the same turn of the event loop, so that concurrent handshakes cannot exceed the limit.
    this.#inBackground('delete', () => this.#makeRoom(live.caller));
    this.#add(live);
    return live.id;
  }

  /** Stores changes since the last write, merged with those of other processes. Most messages change nothing. */
  save(live: LiveSession): void | Promise<void> {
    const { session, base } = live;
    if (!isChanged(session, base)) return undefined;
    // If only `ready` changed, a failure does not affect the client: the next message stores it.
    const canWait = session.logLevel === base.logLevel && session.subscriptions === base.subscriptions;
    return canWait ? this.#writer.write(live).catch(() => undefined) : this.#writer.write(live);
  }

  /** Finds a session. Undefined if it does not exist, has expired or belongs to another caller. */
  find(id: string | undefined, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined> {
    if (id === undefined) throw new HttpRejection('sessionMissing', {});
    const live = this.#live.get(id);
    let stored: ReturnType<SessionStore['get']>;
    try {
      stored = this.#store.get(id, live?.known);
    } catch (thrown) {
      return this.#findStale(id, caller, thrown);
    }
    // Fast path, for every request: a session with an unchanged version need not be validated again.
    const found = stored as VersionedSession | undefined; // a promise or an invalid value has another version, or none
    if (live !== undefined && found?.version === live.version) return this.#useStored(id, found, caller);
    if (!isPromise(stored)) return this.#validateStored(id, stored, caller);
    return stored.then(
      (one) => {
        const validated = this.#validateStored(id, one, caller);
        if (validated?.isStale === false) validated.known = one;
        return validated;
      },
      (thrown: unknown) => this.#findStale(id, caller, thrown),
    );
  }

  /** Validates what the store returned. An invalid value counts as an unavailable store, not as a missing session. */
  #validateStored(id: string, stored: unknown, caller: SessionCaller): LiveSession | undefined {
    // Databases can return null for undefined.
    if (stored === undefined || stored === null) return this.#useStored(id, undefined, caller);
    if (isStoredSession(stored)) return this.#useStored(id, stored, caller);
    return this.#findStale(id, caller, wrongReturn('get of the session store', stored));
  }

  /**
   * While the store is unavailable, a live session continues for `STALE_MS` with the data of this process. Any other request fails
   * with a retryable error: on "session not found", the client would discard its session.
   */
  #findStale(id: string, { auth }: SessionCaller, thrown: unknown): LiveSession | undefined {
    const now = this.#context.settings.clock.wall();
    const live = this.#live.get(id);
    this.#report(thrown, 'get');
    if (live === undefined || live.principal !== principalOf(auth) || this.#expired(live, now)) throw thrown;
    if (now - live.confirmedAt > STALE_MS) throw thrown;
    live.isStale = true;
    return live;
  }

  end({ id }: LiveSession, why: string): Promise<void> {
    return this.#end(id, why).catch((thrown: unknown) => this.#fail(thrown, 'delete'));
  }

  /** Ends a session in all processes. */
  async #end(id: string, why: string): Promise<void> {
    this.#forget(id, why);
    await this.#store.delete(id);
  }

  /** Closes a session in this process only. */
  #forget(id: string, why: string): void {
    const live = this.#live.get(id);
    if (live === undefined) return;
    this.#counts.remove(live.caller);
    this.#live.delete(id);
    live.close(why);
  }

  /** Closes all sessions in this process. They stay in the store, for the process that serves them next. */
  close(): void {
    this.#stopSweeping?.();
    this.#stopReceiving?.();
    for (const id of [...this.#live.keys()]) this.#forget(id, 'the server is shutting down');
  }

  #useStored(id: string, stored: VersionedSession | undefined, { auth, view }: SessionCaller): LiveSession | undefined {
    const now = this.#context.settings.clock.wall();
    if (stored === undefined || this.#expired(stored, now)) {
      if (stored !== undefined || this.#live.has(id))
        this.#inBackground('delete', () => this.#end(id, 'the session is over'));
      return undefined;
    }
    if (stored.principal !== principalOf(auth)) return undefined;
    let live = this.#live.get(id);
    if (live === undefined)
      live = this.#adopt(id, { ...stored, usedAt: now - TOUCH_MS }, callerKey(auth, view.address));
    else if (live.version !== stored.version) refreshSession(live, stored);
    live.confirmedAt = now;
    live.isStale = false;
    // Absolute: a clock that was set back must not stop the touches, or the store would expire a session in use.
    if (Math.abs(now - live.usedAt) >= TOUCH_MS) this.#touch(live, now);
    return live;
  }

  /** Continues a session of another process, and marks it as shared in the store. */
  #adopt(id: string, stored: VersionedSession, caller: string | undefined): LiveSession {
    const live = new LiveSession(id, { ...stored, shared: true, caller }, this.#owner);
    this.#inBackground('delete', () => this.#makeRoom());
    this.#add(live);
    // The writer itself reports failures.
    if (stored.shared !== true) void this.#writer.write(live).catch(() => undefined);
    return live;
  }

  #add(live: LiveSession): void {
    this.#live.set(live.id, live);
    this.#counts.add(live.caller);
    this.#stopSweeping ??= this.#context.settings.clock.after(SWEEP_MS, this.#sweep, { idle: true });
  }

  #touch(live: LiveSession, now: number): void {
    const { sessionIdleMs } = this.#context.settings;
    live.usedAt = now;
    const { id } = live;
    this.#live.delete(id);
    this.#live.set(id, live);
    this.#inBackground('touch', () => this.#store.touch(id, now, sessionIdleMs));
  }

  /** Checks idle time only if the store does not expire sessions itself: `usedAt` can be from a process whose clock differs. */
  #expired({ createdAt, usedAt }: { createdAt: number; usedAt: number }, now: number): boolean {
    const { sessionIdleMs, sessionLifeMs } = this.#context.settings;
    return now - createdAt > sessionLifeMs || (this.#store.hasExpiry !== true && now - usedAt > sessionIdleMs);
  }

  readonly #sweep = (): void => {
    this.#stopSweeping = undefined;
    const { clock, sessionIdleMs } = this.#context.settings;
    const now = clock.wall();
    for (const live of [...this.#live.values()]) {
      // An open call or stream counts as use.
      if (live.idle) live.trim();
      else this.#touch(live, now);
      const { createdAt } = live;
      const isOver = (usedAt: number): boolean => this.#expired({ createdAt, usedAt }, now);
      if (now - live.usedAt > sessionIdleMs || isOver(now))
        this.#inBackground('delete', () => this.#closeIdle(live, 'the session is over', isOver));
    }
    if (this.#live.size > 0) this.#stopSweeping = clock.after(SWEEP_MS, this.#sweep, { idle: true });
  };

  /** Evicts this caller's longest-idle session first; only then that of another caller. */
  async #makeRoom(caller?: string): Promise<void> {
    if (this.#counts.isFull(caller)) await this.#evictOne(caller);
    else if (this.#live.size >= this.#context.settings.maxSessions) await this.#evictOne();
  }

  async #evictOne(caller?: string): Promise<void> {
    const idlest = this.#idlest(caller);
    if (idlest === undefined) return;
    const quiet = this.#context.settings.clock.wall() - QUIET_MS;
    await this.#closeIdle(idlest, 'there are too many sessions', (usedAt, shared) => !shared || usedAt < quiet);
  }

  /** Closes a session in this process. Ends it for all if, by its last use in the store, no other process uses it. */
  async #closeIdle(
    live: LiveSession,
    why: string,
    isOver: (usedAt: number, shared: boolean) => boolean,
  ): Promise<void> {
    const { id } = live;
    this.#forget(id, why);
    const stored = await this.#store.get(id);
    if (stored !== undefined && isOver(stored.usedAt, stored.shared === true)) await this.#end(id, why);
  }

  /** Runs a store operation without awaiting it, and reports failures. */
  #inBackground(what: StoreOperation, run: () => void | Promise<void>): void {
    callHook(run, (thrown) => this.#report(thrown, what));
  }

  #fail(thrown: unknown, what: StoreOperation): never {
    this.#report(thrown, what);
    throw thrown;
  }

  #report(thrown: unknown, what: StoreOperation): void {
    this.#context.settings.onStoreError(thrown, what);
  }

  /** The longest-idle session, of all callers or of one. A session in use only if none is idle. */
  #idlest(caller?: string): LiveSession | undefined {
    let oldest: LiveSession | undefined;
    for (const live of this.#live.values()) {
      if (caller !== undefined && live.caller !== caller) continue;
      if (live.idle) return live;
      oldest ??= live;
    }
    return oldest;
  }
}
