/** The conversations with one upstream: one for all, or one for each principal, session or call. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { PeerSession } from '../../peer/session.ts';
import type { Revision } from '../../revisions/contract.ts';
import { encodeClientCapabilities } from '../../revisions/encode.ts';
import { untilAborted } from '../../revisions/opening.ts';
import type { UpstreamAudience } from '../contract.ts';
import type { Circuit } from './circuit.ts';
import { openUpstream } from './open-upstream.ts';
import { UpstreamConversation } from './upstream-conversation.ts';
import { UpstreamError } from './upstream-error.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** The conversation that lists and changes come from. It declares nothing that could be asked. */
const MAIN = '';
/** How long a question of a cancelled call can still be on its way. */
const SETTLE_MS = 2_000;

interface PooledConversation {
  readonly key: string;
  readonly principal: string;
  readonly conversation: UpstreamConversation;
  readonly opened: Promise<unknown>;
  stopIdle: (() => void) | undefined;
  isClosed: boolean;
}

export class ClientPool {
  readonly #settings: UpstreamSettings;
  readonly #circuit: Circuit;
  readonly #all: Set<PooledConversation> = new Set();
  readonly #sessions: WeakMap<PeerSession, string> = new WeakMap();
  readonly #waiting: Set<() => void> = new Set();
  readonly #closing: AbortController = new AbortController();
  #sessionCount = 0;

  constructor(settings: UpstreamSettings, circuit: Circuit) {
    this.#settings = settings;
    this.#circuit = circuit;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The conversation that is the gateway's own, opened when it is first needed. */
  async main(): Promise<UpstreamConversation> {
    const [known] = this.#of(MAIN);
    const pooled = known ?? this.#open(MAIN, undefined, {});
    await pooled.opened;
    return pooled.conversation;
  }

  /** One with room for a call of this audience. `give` must follow. */
  async take(audience: UpstreamAudience, signal: AbortSignal): Promise<UpstreamConversation> {
    const { revision } = await untilAborted(this.main(), signal);
    const capabilities = revision.hasSessions
      ? encodeClientCapabilities(revision.vocabulary, audience.capabilities)
      : {};
    const key = this.#keyFor(audience, revision, capabilities);
    for (;;) {
      const free = this.#of(key).find(({ conversation }) => conversation.hasRoom);
      const pooled = free ?? (this.#mayOpen(key, audience) ? this.#open(key, audience, capabilities) : undefined);
      if (pooled !== undefined) {
        pooled.conversation.leases++;
        pooled.stopIdle?.();
        try {
          await untilAborted(pooled.opened, signal);
        } catch (error) {
          this.give(pooled.conversation, true);
          throw error;
        }
        return pooled.conversation;
      }
      await untilAborted(this.#someRoom(), signal);
    }
  }

  give(conversation: UpstreamConversation, isClean: boolean): void {
    const pooled = [...this.#all].find((one) => one.conversation === conversation);
    if (pooled === undefined) return;
    if (isClean) this.#free(pooled);
    else void this.#settle(pooled).then(() => this.#free(pooled));
  }

  /** A session of a caller has ended. */
  endSession(session: PeerSession): void {
    const key = this.#sessions.get(session);
    if (key !== undefined) for (const pooled of this.#all) if (pooled.key.startsWith(`${key} `)) this.#close(pooled);
  }

  async close(): Promise<void> {
    this.#closing.abort(new UpstreamError(this.#settings.label, 'not-sent', 'is no longer served'));
    await Promise.all([...this.#all].map((pooled) => this.#close(pooled)));
  }

  #keyFor(audience: UpstreamAudience, revision: Revision, capabilities: JsonObject): string {
    const { isolate = revision.hasSessions ? 'principal' : 'shared', credentials } = this.#settings;
    const own = credentials.keyFor(audience.link.auth);
    if (isolate === 'shared') return own === MAIN ? MAIN : `shared ${own}`;
    const { principal, session } = audience;
    if (isolate === 'call') return `call ${++this.#sessionCount}`;
    // Requests without a handshake belong to no session.
    const isSession =
      session?.revision !== undefined && (isolate === 'session' || (principal === '' && revision.hasSessions));
    const declared = canonicalJson(capabilities);
    if (!isSession && principal === '' && own === '' && declared === '{}') return MAIN;
    return isSession ? `${this.#sessionKey(session)} ${own} ${declared}` : `principal ${principal} ${own} ${declared}`;
  }

  #sessionKey(session: PeerSession): string {
    const known = this.#sessions.get(session) ?? `session-${++this.#sessionCount}`;
    this.#sessions.set(session, known);
    return known;
  }

  #of(key: string): PooledConversation[] {
    return [...this.#all].filter((pooled) => pooled.key === key);
  }

  #mayOpen(key: string, { principal }: UpstreamAudience): boolean {
    const { clients, clientsPerPrincipal } = this.#settings.limits;
    const own = [...this.#all].filter((pooled) => pooled.key !== MAIN && pooled.principal === principal);
    if (principal !== '' && own.length >= clientsPerPrincipal) return this.#evict(own);
    if (principal === '' && this.#of(key).length >= clientsPerPrincipal) return false;
    return this.#all.size < clients || this.#evict([...this.#all]);
  }

  /** Ends the one that was idle for longest; false where all are in use. */
  #evict(among: readonly PooledConversation[]): boolean {
    const idle = among.find(({ key, conversation }) => key !== MAIN && conversation.leases === 0);
    if (idle === undefined) return false;
    void this.#close(idle);
    return true;
  }

  #open(key: string, audience: UpstreamAudience | undefined, capabilities: JsonObject): PooledConversation {
    const { kind, label } = this.#settings;
    const canTell = kind === 'url' || kind === 'server' || Object.keys(capabilities).length === 0;
    const isShared = key === MAIN;
    const lanes = canTell ? Number.POSITIVE_INFINITY : 1;
    const conversation = new UpstreamConversation({
      settings: this.#settings,
      circuit: this.#circuit,
      lanes,
      isShared,
    });
    const { onLog } = conversation;
    const { signal } = this.#closing;
    const opened = openUpstream(this.#settings, { audience, capabilities, onLog, signal }).then(
      (client) => conversation.use(client),
      (error: unknown) => {
        this.#all.delete(pooled);
        this.#circuit.failed();
        throw new UpstreamError(label, 'not-sent', 'cannot be reached', { cause: error });
      },
    );
    opened.catch(() => undefined);
    const principal = audience?.principal ?? '';
    const pooled: PooledConversation = { key, principal, conversation, opened, stopIdle: undefined, isClosed: false };
    this.#all.add(pooled);
    return pooled;
  }

  #free(pooled: PooledConversation): void {
    pooled.conversation.leases--;
    if (pooled.conversation.leases === 0 && pooled.key !== MAIN) this.#idle(pooled);
    for (const wake of [...this.#waiting]) wake();
  }

  #idle(pooled: PooledConversation): void {
    // The next one to be evicted is the first in the set.
    if (!this.#all.delete(pooled)) return;
    this.#all.add(pooled);
    const { clock, idleMs } = this.#settings;
    if (pooled.key.startsWith('call ')) void this.#close(pooled);
    else pooled.stopIdle = clock.after(idleMs, () => void this.#close(pooled), { idle: true });
  }

  /** After a response to a ping, nothing of the cancelled call is on its way. */
  async #settle({ conversation }: PooledConversation): Promise<void> {
    const { clock } = this.#settings;
    await new Promise<void>((resolve) => {
      const stop = clock.after(SETTLE_MS, resolve);
      void conversation.client
        .ping()
        .catch(() => undefined)
        .finally(() => {
          stop();
          resolve();
        });
    });
  }

  #someRoom(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  async #close(pooled: PooledConversation): Promise<void> {
    this.#all.delete(pooled);
    pooled.stopIdle?.();
    if (pooled.isClosed) return;
    pooled.isClosed = true;
    await pooled.opened.catch(() => undefined);
    await pooled.conversation.close().catch(() => undefined);
  }
}
