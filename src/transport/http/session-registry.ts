/** The sessions that this process serves: found by id, bounded in number and age, each for its own caller only. */
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

/** Between two searches for unused sessions. */
const SWEEP_MS = 60_000;
/** A process that has a call or a stream of a session open says so at each look: after two without, none has. */
const QUIET_MS = 2 * SWEEP_MS;
/** How long a session goes on without its store. Its end in another process is not seen for so long. */
const STALE_MS = 30_000;
/** How exactly the time of last use is kept. */
const TOUCH_MS = 1_000;

export class SessionRegistry implements HttpSessions {
  readonly methods = 'POST, GET, DELETE';
  readonly #context: HttpSessionContext;
  readonly #store: SessionStore;
  readonly #writer: SessionWriter;
  readonly #owner: SessionOwner;
  /** The one that was used last comes last. */
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
    // The response to the request that ends the session goes out first.
    const endLater = (id: string): Promise<void> => nextTurn().then(() => this.#end(id, 'the client asked for it'));
    this.#owner = { ...context, onEndRequested: (id) => this.#inBackground('delete', () => endLater(id)) };
    this.#stopReceiving = context.settings.peers?.receive(({ session, principal, message }) => {
      const live = this.#live.get(session);
      if (live?.principal === principal) live.take(message);
    });
  }

  /** Whether the caller has reached the limit, with every session in use. */
  isFull({ auth, view }: SessionCaller): boolean {
    const caller = callerKey(auth, view.address);
    return this.#counts.isFull(caller) && this.#idlest(caller)?.idle !== true;
  }

  /** A session before its handshake; it cannot be found until it is added. */
  create({ auth, view }: SessionCaller): LiveSession {
    const now = this.#context.settings.clock.wall();
    // 192 bits, in visible ASCII.
    const id = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    const fresh = { session: {}, principal: principalOf(auth), createdAt: now, usedAt: now };
    return new LiveSession(id, { ...fresh, caller: callerKey(auth, view.address) }, this.#owner);
  }

  async add(live: LiveSession): Promise<string> {
    const putting = this.#writer.put(live, live.session).catch((thrown: unknown) => this.#fail(thrown, 'put'));
    if ((await putting) !== true) throw new Error('A new session has the id of another one');
    // Counted in the same turn: handshakes that end together must not find the same room.
    this.#inBackground('delete', () => this.#makeRoom(live.caller));
    this.#add(live);
    return live.id;
  }

  /** Stores what changed since the last time, merged with what other processes stored. Often nothing did. */
  save(live: LiveSession): void | Promise<void> {
    const { session, base } = live;
    if (!isChanged(session, base)) return undefined;
    // The end of the handshake changes nothing for the client, and is stored with the next message where it cannot be now.
    const canWait = session.logLevel === base.logLevel && session.subscriptions === base.subscriptions;
    return canWait ? this.#writer.write(live).catch(() => undefined) : this.#writer.write(live);
  }

  /** Undefined when there is no such session any more, and when it belongs to another caller. */
  find(id: string | undefined, caller: SessionCaller): LiveSession | undefined | Promise<LiveSession | undefined> {
    if (id === undefined) throw new HttpRejection('sessionMissing', {});
    const live = this.#live.get(id);
    let stored: ReturnType<SessionStore['get']>;
    try {
      stored = this.#store.get(id, live?.known);
    } catch (thrown) {
      return this.#known(id, caller, thrown);
    }
    // What is still as this process knows it needs no look: every request would pay for it.
    const found = stored as VersionedSession | undefined; // unless it has another version, or none
    if (live !== undefined && found?.version === live.version) return this.#found(id, found, caller);
    if (!isPromise(stored)) return this.#checked(id, stored, caller);
    return stored.then(
      (one) => {
        const checked = this.#checked(id, one, caller);
        if (checked?.isStale === false) checked.known = one;
        return checked;
      },
      (thrown: unknown) => this.#known(id, caller, thrown),
    );
  }

  /** A store that returns something else is like one that is away: it has not said that there is no session. */
  #checked(id: string, stored: unknown, caller: SessionCaller): LiveSession | undefined {
    // Databases have null for nothing.
    if (stored === undefined || stored === null) return this.#found(id, undefined, caller);
    if (isStoredSession(stored)) return this.#found(id, stored, caller);
    return this.#known(id, caller, wrongReturn('get of the session store', stored));
  }

  /**
   * While the store is away, a session that is live here goes on for a while with what is known of it. Any other request fails
   * and can be repeated: the client would throw its session away if it were told that there is none.
   */
  #known(id: string, { auth }: SessionCaller, thrown: unknown): LiveSession | undefined {
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

  /** Ends a session, here and everywhere. */
  async #end(id: string, why: string): Promise<void> {
    this.#forget(id, why);
    await this.#store.delete(id);
  }

  /** Closes a session in this process alone. */
  #forget(id: string, why: string): void {
    const live = this.#live.get(id);
    if (live === undefined) return;
    this.#counts.remove(live.caller);
    this.#live.delete(id);
    live.close(why);
  }

  /** Closes all of them here. They stay in the store, for the process that serves them next. */
  close(): void {
    this.#stopSweeping?.();
    this.#stopReceiving?.();
    for (const id of [...this.#live.keys()]) this.#forget(id, 'the server is shutting down');
  }

  #found(id: string, stored: VersionedSession | undefined, { auth, view }: SessionCaller): LiveSession | undefined {
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
    if (now - live.usedAt >= TOUCH_MS) this.#touch(live, now);
    return live;
  }

  /** Continues a session of another process, and stores that several serve it now. */
  #adopt(id: string, stored: VersionedSession, caller: string | undefined): LiveSession {
    const live = new LiveSession(id, { ...stored, shared: true, caller }, this.#owner);
    this.#inBackground('delete', () => this.#makeRoom());
    this.#add(live);
    // The writer reports its failures.
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

  /** A store that expires sessions has done so: what it has was used, whatever the clock of the process says that used it. */
  #expired({ createdAt, usedAt }: { createdAt: number; usedAt: number }, now: number): boolean {
    const { sessionIdleMs, sessionLifeMs } = this.#context.settings;
    return now - createdAt > sessionLifeMs || (this.#store.hasExpiry !== true && now - usedAt > sessionIdleMs);
  }

  readonly #sweep = (): void => {
    this.#stopSweeping = undefined;
    const { clock, sessionIdleMs } = this.#context.settings;
    const now = clock.wall();
    for (const live of [...this.#live.values()]) {
      // A client that listens, or waits for an answer, is using its session.
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

  /** Ends a session that is over for all by what the store knows of its use; otherwise it lives on in other processes. */
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

  /** Nothing waits for it. A store that fails here fails again where its result is awaited. */
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

  /** The one that was idle longest, of all or of one caller; one in use only if there is no other. */
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
