/** The sessions that are served here: found by id, bounded in number and age, and only for those they belong to. */
import { isPromise, notification } from '../../jsonrpc/message.ts';
import { toBase64Url } from '../../model/base64.ts';
import { type AuthInfo, principalOf } from '../../model/caller.ts';
import { INITIALIZED } from '../../model/names.ts';
import { turn } from '../../peer/turn.ts';
import { callerOf, Tally } from './callers.ts';
import { LiveSession, type SessionContext, type SessionKeeper } from './live-session.ts';
import type { StoredSession } from './session-store.ts';
import type { HttpView } from './view.ts';

/** Between two looks for sessions that nobody uses any more. */
const SWEEP_MS = 60_000;
/** How exactly the time of last use is kept. */
const TOUCH_MS = 1_000;

/** Who wants to use a session. */
export interface Guest {
  readonly auth: AuthInfo | undefined;
  readonly view: HttpView;
}

export class Sessions {
  readonly #context: SessionContext;
  readonly #keeper: SessionKeeper;
  /** The one that was used last comes last. */
  readonly #live: Map<string, LiveSession> = new Map();
  readonly #tally: Tally;
  #stopSweeping: (() => void) | undefined;

  constructor(context: SessionContext) {
    this.#context = context;
    this.#tally = new Tally(context.settings.maxSessionsPerCaller);
    // The answer to whoever asks for the end goes out first.
    const asked = (id: string): void =>
      void turn()
        .then(() => this.end(id, 'the client asked for it'))
        .catch(() => undefined);
    this.#keeper = { ...context, asked };
  }

  /** Whether they have as many sessions as one caller may have, and are using them all. */
  crowded({ auth, view }: Guest): boolean {
    const caller = callerOf(auth, view.address);
    return this.#tally.full(caller) && this.#idlest(caller)?.idle !== true;
  }

  /** A session that has not met anybody yet, and is known to nobody until it is kept. */
  create({ auth, view }: Guest): LiveSession {
    const now = this.#context.settings.clock.wall();
    // 192 bits, in visible ASCII.
    const id = toBase64Url(crypto.getRandomValues(new Uint8Array(24)));
    const fresh = { session: {}, principal: principalOf(auth), createdAt: now, usedAt: now };
    return new LiveSession(id, { ...fresh, caller: callerOf(auth, view.address) }, this.#keeper);
  }

  async keep(live: LiveSession): Promise<void> {
    const { store } = this.#context.settings;
    const { id, session, principal, createdAt } = live;
    await store.put(id, { session, principal, createdAt, usedAt: live.usedAt });
    await this.#makeRoom(live.caller);
    this.#add(live);
  }

  /** Writes down what the two sides agreed on since. */
  save(live: LiveSession): void | Promise<void> {
    const { id, session, principal, createdAt } = live;
    if (!this.#live.has(id)) return;
    return this.#context.settings.store.put(id, { session, principal, createdAt, usedAt: live.usedAt });
  }

  /** Undefined when there is no such session any more, and for everybody whose session it is not. */
  find(id: string, guest: Guest): LiveSession | undefined | Promise<LiveSession | undefined> {
    const stored = this.#context.settings.store.get(id);
    if (isPromise(stored)) return Promise.resolve(stored).then((one) => this.#found(id, one, guest));
    return this.#found(id, stored, guest);
  }

  async end(id: string, why: string): Promise<void> {
    const live = this.#live.get(id);
    if (live !== undefined) this.#tally.remove(live.caller);
    this.#live.delete(id);
    live?.close(why);
    await this.#context.settings.store.delete(id);
  }

  /** Lets go of all of them. They stay in the store, for whoever serves them next. */
  close(): void {
    this.#stopSweeping?.();
    for (const live of this.#live.values()) {
      this.#tally.remove(live.caller);
      live.close('the server is shutting down');
    }
    this.#live.clear();
  }

  #found(id: string, stored: StoredSession | undefined, { auth, view }: Guest): LiveSession | undefined {
    const now = this.#context.settings.clock.wall();
    if (stored === undefined || this.#expired(stored, now)) {
      if (stored !== undefined || this.#live.has(id)) void this.end(id, 'the session is over').catch(() => undefined);
      return undefined;
    }
    if (stored.principal !== principalOf(auth)) return undefined;
    let live = this.#live.get(id);
    if (live === undefined) {
      live = new LiveSession(id, { ...stored, caller: callerOf(auth, view.address) }, this.#keeper);
      this.#add(live);
      void this.#makeRoom();
    } else if (live.session !== stored.session) refresh(live, stored);
    if (now - live.usedAt >= TOUCH_MS) this.#touch(live, now);
    return live;
  }

  #add(live: LiveSession): void {
    this.#live.set(live.id, live);
    this.#tally.add(live.caller);
    this.#stopSweeping ??= this.#context.settings.clock.after(SWEEP_MS, this.#sweep, { idle: true });
  }

  #touch(live: LiveSession, now: number): void {
    const { store } = this.#context.settings;
    live.usedAt = now;
    const { id } = live;
    this.#live.delete(id);
    this.#live.set(id, live);
    void Promise.resolve(store.touch(id, now)).catch(() => undefined);
  }

  #expired({ createdAt, usedAt }: { createdAt: number; usedAt: number }, now: number): boolean {
    const { sessionIdleMs, sessionLifeMs } = this.#context.settings;
    return now - createdAt > sessionLifeMs || now - usedAt > sessionIdleMs;
  }

  readonly #sweep = (): void => {
    this.#stopSweeping = undefined;
    const now = this.#context.settings.clock.wall();
    for (const live of [...this.#live.values()]) {
      // A client that listens, or waits for an answer, is using its session.
      if (live.idle) live.rest();
      else this.#touch(live, now);
      const { id } = live;
      if (this.#expired(live, now)) void this.end(id, 'the session is over').catch(() => undefined);
    }
    if (this.#live.size > 0)
      this.#stopSweeping = this.#context.settings.clock.after(SWEEP_MS, this.#sweep, { idle: true });
  };

  /** Who has too many makes room at home; only then is somebody else's session ended. */
  async #makeRoom(caller?: string): Promise<void> {
    if (this.#tally.full(caller)) await this.#endOne(caller);
    else if (this.#live.size >= this.#context.settings.maxSessions) await this.#endOne();
  }

  async #endOne(caller?: string): Promise<void> {
    const idlest = this.#idlest(caller);
    if (idlest !== undefined) await this.end(idlest.id, 'there are too many sessions');
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

/** Another process may have gone on with it in between. */
function refresh(live: LiveSession, { session }: StoredSession): void {
  const ours = live.session;
  const missed = session.ready === true && ours.ready !== true;
  Object.assign(ours, session);
  if (!missed) return;
  // To be told as the client would have told it, so that news is subscribed to here as well.
  ours.ready = false;
  void live.take(notification(INITIALIZED), undefined);
}
