/** The conversations with one upstream: one for all, or one for each principal, session or call. */
import type { JsonObject } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import type { PeerSession } from '../../peer/session.ts';
import { Deferred, untilAborted, withTimeout } from '../../peer/wait.ts';
import { Warnings } from '../../peer/warnings.ts';
import type { Revision } from '../../revisions/contract.ts';
import { encodeClientCapabilities } from '../../revisions/encode.ts';
import type { SignalSource, UpstreamAudience } from '../contract.ts';
import type { Circuit } from './circuit.ts';
import { openUpstream } from './open-upstream.ts';
import { UpstreamConversation } from './upstream-conversation.ts';
import { NO_LONGER_SERVED, SESSION_LOST, UpstreamError } from './upstream-error.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** The conversation that lists and changes come from. It declares nothing that could be asked. */
const MAIN = '';
/** Before the key of credentials that several callers have. */
const SHARED = 'shared ';
/** How long a question of a cancelled call can still be on its way. */
const SETTLE_MS = 2_000;

export class ClientPool {
  readonly #settings: UpstreamSettings;
  readonly #circuit: Circuit;
  readonly #onOpen: (conversation: UpstreamConversation) => void;
  /** By key, in the order in which they were last used. */
  readonly #all: Map<string, UpstreamConversation[]> = new Map();
  readonly #sessions: WeakMap<PeerSession, string> = new WeakMap();
  /** Sessions of callers whose conversation was closed before they ended. */
  readonly #lost: WeakSet<PeerSession> = new WeakSet();
  readonly #warnings: Warnings;
  /** Settles with the next conversation that has room, where a call waits for one. */
  #room: Deferred<void> | undefined;
  readonly #closing: AbortController = new AbortController();
  #count = 0;

  constructor(settings: UpstreamSettings, circuit: Circuit, onOpen: (conversation: UpstreamConversation) => void) {
    this.#settings = settings;
    this.#warnings = new Warnings(settings.warn);
    this.#circuit = circuit;
    this.#onOpen = onOpen;
  }

  get size(): number {
    return this.#list().length;
  }

  /** The conversation that is the gateway's own, if it is open. */
  get main(): UpstreamConversation | undefined {
    const main = this.#all.get(MAIN)?.[0];
    return main?.isOpen === true ? main : undefined;
  }

  /**
   * Where every caller has credentials of its own, the gateway has none: the first caller's are used to see which revision the upstream
   * speaks. Lists and calls never go this way then, since the key of no caller is that of this conversation.
   */
  async openMain(first?: UpstreamAudience): Promise<UpstreamConversation> {
    const { isPersonal } = this.#settings.credentials;
    if (isPersonal && first === undefined && this.#all.get(MAIN) === undefined)
      throw new UpstreamError(this.#settings.label, 'not-sent', 'is connected for its first caller');
    const main = this.#all.get(MAIN)?.[0] ?? this.#open(MAIN, isPersonal ? first : undefined, {});
    await main.opened;
    return main;
  }

  /** Before a call, where the upstream keeps something for each session: what is gone is said once, to the call that may have counted on it. */
  checkSession({ session }: UpstreamAudience): void {
    if (session === undefined) return;
    const { label } = this.#settings;
    if (session.requestsOnly === true)
      this.#warnings.once(
        `${label}: isolate is "session", and sessions of callers are kept nowhere: what the upstream keeps for one is gone after each call. Serve the gateway with a session store, or set isolate to "principal".`,
      );
    if (this.#lost.delete(session)) throw new UpstreamError(label, 'not-sent', SESSION_LOST);
  }

  /** One with room for a call of this audience. `give` must follow. */
  take(audience: UpstreamAudience, by: SignalSource): UpstreamConversation | Promise<UpstreamConversation> {
    const { main } = this;
    if (main === undefined) return this.#takeLater(audience, by.signal);
    const free = this.#free(this.keyFor(audience, main.revision));
    if (free === undefined || !free.isOpen) return this.#takeLater(audience, by.signal);
    free.lease(audience.principal);
    return free;
  }

  give(conversation: UpstreamConversation, isClean: boolean): void {
    if (isClean) this.#release(conversation);
    else void this.#settle(conversation).then(() => this.#release(conversation));
  }

  /** A session of a caller has ended. */
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

  /** Callers with one key share their conversations. */
  keyFor(audience: UpstreamAudience, revision: Revision): string {
    const { isolate = revision.hasSessions ? 'principal' : 'shared', credentials } = this.#settings;
    const own = credentials.keyFor(audience.auth);
    if (isolate === 'shared') return own === MAIN ? MAIN : `${SHARED}${own}`;
    const { principal, session } = audience;
    if (isolate === 'call') return `call ${++this.#count}`;
    // Requests without a handshake belong to no session.
    const isSession =
      session?.revision !== undefined && (isolate === 'session' || (principal === '' && revision.hasSessions));
    const declared = canonicalJson(handshakeCapabilities(revision, audience));
    if (!isSession && principal === '' && own === '' && declared === '{}') return MAIN;
    return isSession ? `${this.#sessionKey(session)} ${own} ${declared}` : `principal ${principal} ${own} ${declared}`;
  }

  async #takeLater(audience: UpstreamAudience, signal: AbortSignal): Promise<UpstreamConversation> {
    const { revision } = await untilAborted(this.openMain(audience), signal);
    const key = this.keyFor(audience, revision);
    for (;;) {
      const free = this.#free(key);
      const canOpen = free === undefined && !this.#isOnly(key) && this.#canOpen(key, audience);
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
        this.#release(one);
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

  /** The upstream keeps something for each session of a caller. */
  get #keepsState(): boolean {
    return this.#settings.isolate === 'session';
  }

  /** A second conversation of a session would know nothing of the first. */
  #isOnly(key: string): boolean {
    return this.#keepsState && this.#all.get(key)?.some(({ isLost }) => !isLost) === true;
  }

  #sessionKey(session: PeerSession): string {
    const known = this.#sessions.get(session) ?? `session-${++this.#count}`;
    this.#sessions.set(session, known);
    return known;
  }

  #canOpen(key: string, { principal }: UpstreamAudience): boolean {
    const { clients, clientsPerPrincipal } = this.#settings.limits;
    const all = this.#list();
    // Without authorization, all callers are one principal, and their sessions are told apart.
    const own = principal === '' ? (this.#all.get(key) ?? []) : all.filter((one) => one.principal === principal);
    if (own.length >= clientsPerPrincipal && !this.#evict(own)) return false;
    return all.length < clients || this.#evict(all);
  }

  /** Ends the one that was not used for longest; false where all are in use. */
  #evict(among: readonly UpstreamConversation[]): boolean {
    const idle = among.find(({ key, leases }) => key !== MAIN && leases === 0);
    if (idle === undefined) return false;
    this.#closeUnused(idle);
    return true;
  }

  /** Its session can still go on. */
  #closeUnused(conversation: UpstreamConversation): void {
    const session = conversation.audience?.session;
    if (this.#keepsState && session?.revision !== undefined && session.requestsOnly !== true) this.#lost.add(session);
    void this.#close(conversation);
  }

  #open(key: string, audience: UpstreamAudience | undefined, capabilities: JsonObject): UpstreamConversation {
    const { kind, label, metrics } = this.#settings;
    const canTell = kind === 'url' || kind === 'server' || Object.keys(capabilities).length === 0;
    const conversation = new UpstreamConversation({
      settings: this.#settings,
      circuit: this.#circuit,
      lanes: canTell ? Number.POSITIVE_INFINITY : 1,
      key,
      audience,
      declared: capabilities,
    });
    const { onLog } = conversation;
    const context = { audience, capabilities, onLog, signal: this.#closing.signal };
    const opening = openUpstream(this.#settings, context).catch((error: unknown) => {
      this.#remove(conversation);
      this.#circuit.failed();
      throw new UpstreamError(label, 'not-sent', 'cannot be reached', { cause: error });
    });
    conversation.opens(opening, () => this.#onOpen(conversation));
    this.#all.set(key, [...(this.#all.get(key) ?? []), conversation]);
    // `lists`, or the first word of the key.
    const [isolate = ''] = key === MAIN ? ['lists'] : key.split(/[\s-]/, 1);
    metrics?.count('conversations_opened_total', { upstream: label, isolate });
    return conversation;
  }

  #release(conversation: UpstreamConversation): void {
    conversation.leases--;
    if (conversation.isLost) void this.#close(conversation);
    else if (conversation.leases === 0 && conversation.key !== MAIN) this.#idle(conversation);
    this.#room?.resolve();
    this.#room = undefined;
  }

  #idle(conversation: UpstreamConversation): void {
    const { key } = conversation;
    const list = this.#all.get(key);
    if (list === undefined) return;
    // The next one to be evicted is the first.
    this.#all.delete(key);
    this.#all.set(key, list);
    const { clock, idleMs } = this.#settings;
    if (key.startsWith('call ')) void this.#close(conversation);
    else conversation.stopIdle = clock.after(idleMs, () => this.#closeUnused(conversation), { idle: true });
  }

  /** After a response to a ping, nothing of the cancelled call is on its way. */
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

/** Where there is a handshake, it declares what callers can be asked; otherwise each request does. */
const handshakeCapabilities = (
  { hasSessions, vocabulary }: Revision,
  { capabilities }: UpstreamAudience,
): JsonObject => (hasSessions ? encodeClientCapabilities(vocabulary, capabilities) : {});
