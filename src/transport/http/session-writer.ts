/** Writes sessions to the store, with optimistic concurrency: merges what other processes wrote in between. */
import { notification } from '../../jsonrpc/message.ts';
import { INITIALIZED } from '../../model/names.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { HttpSettings } from './http-settings.ts';
import type { LiveSession } from './live-session.ts';
import { isChanged, mergeSession, type SessionStore, undoChanges, type VersionedSession } from './session-store.ts';

/** Maximum number of attempts to write a session. Each failed one lost a race with another process. */
const MAX_TRIES = 20;

interface SessionWriterContext {
  readonly store: SessionStore;
  readonly settings: Pick<HttpSettings, 'sessionIdleMs'>;
  /** Whether this process still serves the session. */
  isLive(id: string): boolean;
  report(thrown: unknown): void;
}

export class SessionWriter {
  readonly #context: SessionWriterContext;

  constructor(context: SessionWriterContext) {
    this.#context = context;
  }

  async write(live: LiveSession): Promise<void> {
    try {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        // The session was ended or closed meanwhile.
        if (!this.#context.isLive(live.id)) return;
        // While the store is unavailable, a write could still take effect after the client got an error.
        if (live.isStale) throw new Error('The session store cannot be reached');
        const written = await this.put(live, mergeSession(live.base, live.base, live.session));
        const theirs = written ? undefined : await this.#context.store.get(live.id);
        if (theirs !== undefined) refreshSession(live, theirs);
        // Done if another process deleted the session, or if nothing remains to be written.
        if (!written && theirs === undefined) return;
        if (!isChanged(live.session, live.base) && (theirs === undefined || theirs.shared === live.shared)) return;
      }
      throw new Error('A session is written by too many processes at once');
    } catch (thrown) {
      this.#context.report(thrown);
      // Roll back: other processes would not know of a change that is not stored.
      undoChanges(live.session, live.base);
      throw thrown;
    }
  }

  async put(live: LiveSession, agreed: PeerSession): Promise<boolean> {
    const { sessionIdleMs: ttlMs } = this.#context.settings;
    const { id, principal, createdAt, usedAt, shared } = live;
    const stored = { session: { ...agreed }, principal, createdAt, usedAt, ...(shared && { shared }) };
    // Databases can return null for undefined.
    const version = (await this.#context.store.put(id, stored, { expected: live.version, ttlMs })) ?? undefined;
    if (version === undefined) return false;
    live.base = stored.session;
    live.version = version;
    return true;
  }
}

/** Merges what another process has stored into a live session. */
export function refreshSession(live: LiveSession, theirs: VersionedSession): void {
  const { session: ours } = live;
  const wasReady = ours.ready === true;
  Object.assign(ours, mergeSession(theirs.session, live.base, ours));
  live.base = theirs.session;
  live.version = theirs.version;
  live.shared ||= theirs.shared === true;
  if (wasReady || ours.ready !== true) return;
  // Replays the notification that another process received, so that this one subscribes to changes too.
  ours.ready = false;
  void live.receive(notification(INITIALIZED), undefined);
}
