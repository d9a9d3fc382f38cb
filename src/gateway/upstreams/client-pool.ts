/** The pool of conversations with one upstream: shared, or per principal, session or call. */
import { McpError } from '../../errors.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { PeerSession } from '../../peer/session.ts';
import { Deferred, onAbort, untilAborted, withTimeout } from '../../peer/wait.ts';
import { Warnings } from '../../peer/warnings.ts';
import type { Revision } from '../../revisions/contract.ts';
import { encodeClientCapabilities } from '../../revisions/encode.ts';
import type { SignalSource, UpstreamAudience } from '../contract.ts';
import type { Circuit } from './circuit.ts';
import { openUpstream } from './open-upstream.ts';
import { UpstreamConversation, type UpstreamConversationOptions } from './upstream-conversation.ts';
import { NO_LONGER_SERVED, SESSION_LOST, UpstreamError } from './upstream-error.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** The key of the gateway's own conversation, which fetches lists and receives changes. It declares no client capabilities. */
const MAIN = '';
/** Prefix for keys of credentials that several callers share. */
const SHARED = 'shared ';
/** How long a question of a cancelled call can still be in flight. */
const SETTLE_MS = 2_000;

export interface ClientPoolHooks extends Pick<UpstreamConversationOptions, 'onLost'> {
  onOpen(conversation: UpstreamConversation): void;
}

export class ClientPool {
  readonly #settings: UpstreamSettings;
  readonly #circuit: Circuit;
  readonly #hooks: ClientPoolHooks;
  /** By key, least recently used first. */
  readonly #all: Map<string, UpstreamConversation[]> = new Map();
  readonly #sessions: WeakMap<PeerSession, string> = new WeakMap();
  /** Callers' sessions that outlived their upstream conversation. */
  readonly #lost: WeakSet<PeerSession> = new WeakSet();
  readonly #warnings: Warnings;
  /** Resolves when a lease is released, if a call waits for one. */
  #room: Deferred<void> | undefined;
  readonly #closing: AbortController = new AbortController();
  #count = 0;

  constructor(settings: UpstreamSettings, circuit: Circuit, hooks: ClientPoolHooks) {
    this.#settings = settings;
    this.#warnings = new Warnings(settings.warn);
    this.#circuit = circuit;
    this.#hooks = hooks;
  }

  get size(): number {
    return this.#list().length;
  }

  /** The gateway's own conversation, if it is open. */
  get main(): UpstreamConversation | undefined {
    const main = this.#all.get(MAIN)?.[0];
    return main?.isOpen === true ? main : undefined;
  }

  /**
   * With per-caller credentials, the gateway has none: it uses the first caller's to learn the upstream's revision. Lists and calls
   * never use that conversation, since no caller has its key.
   */
  async openMain(first?: UpstreamAudience): Promise<UpstreamConversation> {
    const { isPersonal } = this.#settings.credentials;
    if (isPersonal && first === undefined && this.#all.get(MAIN) === undefined)
      throw new UpstreamError(this.#settings.label, 'not-sent', 'is connected for its first caller');
    for (;;) {
      const known = this.#all.get(MAIN)?.[0];
      const main = known ?? this.#open(MAIN, isPersonal ? first : undefined, {});
      try {
        await main.opened;
        return main;
      } catch (error) {
        // The credentials of another caller may have been rejected, so this caller tries its own.
        if (!isPersonal || main !== known || first === undefined) throw error;
      }
    }
  }

  /** For upstreams with per-session state: throws once if that state was lost, since the call may depend on it. */
  checkSession({ session }: UpstreamAudience): void {
    if (session === undefined) return;
    const { label } = this.#settings;
    if (session.requestsOnly === true)
      this.#warnings.once(
        `${label}: isolate is "session", and sessions of callers are not stored, so the upstream loses the state of a caller after each call. Serve the gateway with a session store, or set isolate to "principal".`,
      );
    if (this.#lost.delete(session)) throw new UpstreamError(label, 'not-sent', SESSION_LOST);
  }

  /** Leases a conversation for a call of this audience. Call `release` afterwards. */
  acquire(audience: UpstreamAudience, by: SignalSource): UpstreamConversation | Promise<UpstreamConversation> {
    const { main } = this;
    if (main === undefined) return this.#acquireLater(audience, by.signal);
    const free = this.#free(this.keyFor(audience, main.revision));
    if (free === undefined || !free.isOpen) return this.#acquireLater(audience, by.signal);
    free.lease(audience.principal);
    return free;
  }

  /** Keeps a conversation of this audience open until the signal aborts. Without calls, it still makes room for others. */
  async keepOpen(audience: UpstreamAudience, signal: AbortSignal): Promise<UpstreamConversation> {
    const conversation = await this.acquire(audience, { signal });
    conversation.isKeptOpen = true;
    onAbort(signal, () => {
      conversation.isKeptOpen = false;
      if (conversation.leases === 0) this.#idle(conversation);
    });
    this.#endLease(conversation);
    return conversation;
  }

  release(conversation: UpstreamConversation, isClean: boolean): void {
    if (isClean) this.#endLease(conversation);
    else void this.#settle(conversation).then(() => this.#endLease(conversation));
  }

  endSession(session: PeerSession): void {
    this.#lost.delete(session);
    const key = this.#sessions.get(session);
    if (key === undefined) return;
    for (const one of this.#list()) if (one.key.startsWith(`${key} `)) void this.#close(one);
  }

  async close(): Promise<void> {
    this.#closing.abort(new UpstreamError(this.#settings.label, 'not-sent', NO_LONGER_SERVED));
    await Promise.all(this.#list().map((one) => this.#close(one)));
  }

  /** Callers with the same key share conversations. */
  keyFor(audience: UpstreamAudience, revision: Revision): string {
    const { isolate = revision.hasSessions ? 'principal' : 'shared', credentials } = this.#settings;
    const own = credentials.keyFor(audience.auth);
    if (isolate === 'shared') return own === MAIN ? MAIN : `${SHARED}${own}`;
    const { principal, session } = audience;
    if (isolate === 'call') return `call ${++this.#count}`;
    // Requests without a handshake have no session.
    const isSession =
      session?.revision !== undefined && (isolate === 'session' || (principal === '' && revision.hasSessions));
    const declared = canonicalJson(handshakeCapabilities(revision, audience));
    if (!isSession && principal === '' && own === '' && declared === '{}') return MAIN;
    return isSession ? `${this.#sessionKey(session)} ${own} ${declared}` : `principal ${principal} ${own} ${declared}`;
  }

  async #acquireLater(audience: UpstreamAudience, signal: AbortSignal): Promise<UpstreamConversation> {
    const { revision } = await untilAborted(this.openMain(audience), signal);
    const key = this.keyFor(audience, revision);
    for (;;) {
      const free = this.#free(key);
      const canOpen = free === undefined && !this.#hasLiveConversation(key) && this.#canOpen(key, audience);
      const declared = key.startsWith(SHARED) ? {} : handshakeCapabilities(revision, audience);
      const one = canOpen ? this.#open(key, audience, declared) : free;
      if (one === undefined) {
        this.#room ??= new Deferred();
        await untilAborted(this.#room.promise, signal);
        continue;
      }
      one.lease(audience.principal);
      try {
        await untilAborted(one.opened, signal);
        return one;
      } catch (error) {
        this.#endLease(one);
        throw error;
      }
    }
  }

  #list(): readonly UpstreamConversation[] {
    return [...this.#all.values()].flat();
  }

  #free(key: string): UpstreamConversation | undefined {
    const known = this.#all.get(key);
    if (known !== undefined) for (const one of known) if (one.hasRoom) return one;
    return undefined;
  }

  /** Whether the upstream has per-session state. */
  get #hasSessionState(): boolean {
    return this.#settings.isolate === 'session';
  }

  /** With per-session state, a second conversation must not be opened: it would not have that state. */
  #hasLiveConversation(key: string): boolean {
    return this.#hasSessionState && this.#all.get(key)?.some(({ isLost }) => !isLost) === true;
  }

  #sessionKey(session: PeerSession): string {
    const known = this.#sessions.get(session) ?? `session-${++this.#count}`;
    this.#sessions.set(session, known);
    return known;
  }

  #canOpen(key: string, { principal }: UpstreamAudience): boolean {
    const { clients, clientsPerPrincipal } = this.#settings.limits;
    const all = this.#list();
    // Without authorization, all callers share the empty principal, so the limit applies per session.
    const own = principal === '' ? (this.#all.get(key) ?? []) : all.filter((one) => one.principal === principal);
    if (own.length >= clientsPerPrincipal && !this.#evict(own)) return false;
    return all.length < clients || this.#evict(all);
  }

  /** Closes the least recently used idle conversation; false if all are in use. */
  #evict(among: readonly UpstreamConversation[]): boolean {
    const idle = among.find(({ key, leases }) => key !== MAIN && leases === 0);
    if (idle === undefined) return false;
    this.#closeUnused(idle);
    return true;
  }

  /** Remembers that the caller's session can outlive this conversation. */
  #closeUnused(conversation: UpstreamConversation): void {
    const session = conversation.audience?.session;
    if (this.#hasSessionState && session?.revision !== undefined && session.requestsOnly !== true)
      this.#lost.add(session);
    void this.#close(conversation);
  }

  #open(key: string, audience: UpstreamAudience | undefined, capabilities: JsonObject): UpstreamConversation {
    const { kind, label, metrics } = this.#settings;
    const canTell = kind === 'url' || kind === 'server' || Object.keys(capabilities).length === 0;
    const conversation = new UpstreamConversation({
      settings: this.#settings,
      circuit: this.#circuit,
      maxLeases: canTell ? Number.POSITIVE_INFINITY : 1,
      key,
      audience,
      declared: capabilities,
      onLost: this.#hooks.onLost,
    });
    const { onLog } = conversation;
    const context = { audience, capabilities, onLog, signal: this.#closing.signal };
    const opening = openUpstream(this.#settings, context).catch((error: unknown) => {
      this.#remove(conversation);
      if (!isRejected(error)) this.#circuit.failed();
      throw new UpstreamError(label, 'not-sent', 'cannot be reached', { cause: error });
    });
    conversation.opens(opening, () => {
      // `lists`, or the first word of the key: shared, principal, session or call.
      const [isolate = ''] = key === MAIN ? ['lists'] : key.split(/[\s-]/, 1);
      metrics?.count('conversations_opened_total', { upstream: label, isolate });
      this.#hooks.onOpen(conversation);
    });
    this.#all.set(key, [...(this.#all.get(key) ?? []), conversation]);
    return conversation;
  }

  #endLease(conversation: UpstreamConversation): void {
    conversation.leases--;
    if (conversation.isLost) void this.#close(conversation);
    else if (conversation.leases === 0 && conversation.key !== MAIN) this.#idle(conversation);
    this.#room?.resolve();
    this.#room = undefined;
  }

  #idle(conversation: UpstreamConversation): void {
    const { key } = conversation;
    const list = this.#all.get(key);
    // Another one can have its key by now.
    if (list?.includes(conversation) !== true) return;
    // Moves it to the end, because eviction starts at the front.
    this.#all.delete(key);
    this.#all.set(key, list);
    const { clock, idleMs } = this.#settings;
    if (key.startsWith('call ')) void this.#close(conversation);
    else if (!conversation.isKeptOpen)
      conversation.stopIdle = clock.after(idleMs, () => this.#closeUnused(conversation), { idle: true });
  }

  /** Once a ping is answered, no message of the cancelled call is in flight. */
  async #settle(conversation: UpstreamConversation): Promise<void> {
    await withTimeout(SETTLE_MS, this.#settings.clock, conversation.client.ping()).catch(() => undefined);
  }

  #remove(conversation: UpstreamConversation): void {
    const { key } = conversation;
    const rest = (this.#all.get(key) ?? []).filter((one) => one !== conversation);
    if (rest.length === 0) this.#all.delete(key);
    else this.#all.set(key, rest);
  }

  async #close(conversation: UpstreamConversation): Promise<void> {
    this.#remove(conversation);
    await conversation.close().catch(() => undefined);
  }
}

/** The server answered, and rejected the credentials or the request of one caller, which says nothing about others. */
const isRejected = (error: unknown): boolean =>
  error instanceof McpError && (error.kind === 'auth' || error.kind === 'http');

/** With a handshake, capabilities are declared there; otherwise each request declares its own. */
const handshakeCapabilities = (
  { hasSessions, vocabulary }: Revision,
  { capabilities }: UpstreamAudience,
): JsonObject => (hasSessions ? encodeClientCapabilities(vocabulary, capabilities) : {});
