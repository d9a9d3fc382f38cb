/** Writes sessions to their store, merged with what other processes wrote in between. */
import { notification } from '../../jsonrpc/message.ts';
import { INITIALIZED } from '../../model/names.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { HttpSettings } from './http-settings.ts';
import type { LiveSession } from './live-session.ts';
import { isChanged, mergeSession, type SessionStore, undoChanges, type VersionedSession } from './session-store.ts';

/** Attempts to write a session before that fails: each time, another process was quicker. */
const MAX_TRIES = 20;

interface SessionWriterContext {
  readonly store: SessionStore;
  readonly settings: Pick<HttpSettings, 'sessionIdleMs'>;
  /** Whether this process serves it still. */
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
        // Ended or closed meanwhile: there is nothing to write to.
        if (!this.#context.isLive(live.id)) return;
        // A write that is sent to a store that is away can still be done later, when the client was told that it failed.
        if (live.isStale) throw new Error('The session store is away');
        const written = await this.put(live, mergeSession(live.base, live.base, live.session));
        const theirs = written ? undefined : await this.#context.store.get(live.id);
        if (theirs !== undefined) refreshSession(live, theirs);
        // Deleted by another process, or nothing more to say.
        if (!written && theirs === undefined) return;
        if (!isChanged(live.session, live.base) && (theirs === undefined || theirs.shared === live.shared)) return;
      }
      throw new Error('A session is written by too many processes at once');
    } catch (thrown) {
      this.#context.report(thrown);
      // What cannot be stored did not happen, or another process would not know of it.
      undoChanges(live.session, live.base);
      throw thrown;
    }
  }

  async put(live: LiveSession, agreed: PeerSession): Promise<boolean> {
    const { sessionIdleMs: ttlMs } = this.#context.settings;
    const { id, principal, createdAt, usedAt, shared } = live;
    const stored = { session: { ...agreed }, principal, createdAt, usedAt, ...(shared && { shared }) };
    // Databases have null for nothing.
    const version = (await this.#context.store.put(id, stored, { expected: live.version, ttlMs })) ?? undefined;
    if (version === undefined) return false;
    live.base = stored.session;
    live.version = version;
    return true;
  }
}

/** Takes over what another process stored in between. */
export function refreshSession(live: LiveSession, theirs: VersionedSession): void {
  const { session: ours } = live;
  const wasReady = ours.ready === true;
  Object.assign(ours, mergeSession(theirs.session, live.base, ours));
  live.base = theirs.session;
  live.version = theirs.version;
  live.shared ||= theirs.shared === true;
  if (wasReady || ours.ready !== true) return;
  // As if the client had sent it here, so that this process subscribes to changes as well.
  ours.ready = false;
  void live.receive(notification(INITIALIZED), undefined);
}
