/** Stateless sessions, encrypted into their ids: every process that has the keys can serve every request. */
import { badDefinition } from '../../errors.ts';
import type { RpcResponse } from '../../jsonrpc/message.ts';
import { principalOf } from '../../model/caller.ts';
import { digestText } from '../../model/canonical.ts';
import type { PeerSession } from '../../peer/session.ts';
import { setNewest } from '../../peer/set-newest.ts';
import { TimeLimit } from '../../peer/time-limit.ts';
import { findRevision } from '../../revisions/index.ts';
import { type HttpSessionContext, LiveSession } from './live-session.ts';
import { HttpRejection } from './rejections.ts';
import { withoutPushes } from './requests-only.ts';
import { type SealedData, SessionSealer } from './sealed-id.ts';
import type { SealedSessionSpec } from './sealed-session-spec.ts';
import type { HttpSessions, SessionCaller } from './sessions.ts';

/** Maximum number of decrypted ids in the cache. */
const MAX_OPENED = 1_000;

export class SealedSessions implements HttpSessions {
  readonly methods: string;
  readonly #context: HttpSessionContext;
  readonly #spec: SealedSessionSpec;
  readonly #sealer: SessionSealer;
  readonly #limit: TimeLimit;
  /** Cache of decrypted ids, by path and id, in order of last use. */
  readonly #opened: Map<string, SealedData> = new Map();
  /** Sessions by name while a message is handled, so that later messages can cancel its call or answer its questions. */
  readonly #live: Map<string, { readonly live: LiveSession; uses: number }> = new Map();

  constructor(context: HttpSessionContext, spec: SealedSessionSpec) {
    const { sealed } = spec;
    if (!Array.isArray(sealed) || sealed.length === 0 || sealed.some((key) => key.length !== 32))
      throw badDefinition('sessions', '"sealed" must be keys of 32 bytes each, at least one');
    this.#context = context;
    this.#spec = spec;
    this.#sealer = new SessionSealer(spec.sealed);
    this.#limit = new TimeLimit(context.settings.clock);
    this.methods = spec.ended === undefined ? 'POST' : 'POST, DELETE';
  }

  create({ auth }: SessionCaller): LiveSession {
    return this.#make('', principalOf(auth), {});
  }

  async add({ session, principal, createdAt }: LiveSession, { view }: SessionCaller): Promise<string> {
    const { revision = '', caller = { capabilities: {} } } = session;
    const data = { revision, caller, principal: await principalDigest(principal), began: createdAt };
    return this.#sealer.seal(data, view.path);
  }

  narrow(response: RpcResponse): RpcResponse {
    return withoutPushes(response, true);
  }

  async find(id: string | undefined, caller: SessionCaller): Promise<LiveSession | undefined> {
    if (id === undefined) throw new HttpRejection('sessionMissing', {});
    const data = await this.#open(id, caller.view.path);
    const principal = principalOf(caller.auth);
    if (data === undefined || !this.#isCurrent(data) || data.principal !== (await principalDigest(principal)))
      return undefined;
    if (await this.#isEnded(data.name)) return undefined;
    const { name } = data;
    const open = this.#live.get(name) ?? { live: this.#make(name, principal, this.#agreed(data)), uses: 0 };
    open.uses++;
    this.#live.set(name, open);
    return open.live;
  }

  release(live: LiveSession): void {
    const open = this.#live.get(live.id);
    if (open?.live === live) {
      if (--open.uses > 0) return;
      this.#live.delete(live.id);
    }
    live.close('the request is over');
  }

  async end(live: LiveSession, why: string): Promise<void> {
    const { ended } = this.#spec;
    const lifeMs = 2 * this.#context.settings.sessionLifeMs;
    await this.#limit.bound(ended?.add(live.id, lifeMs), 'add of ended sessions');
    this.#live.delete(live.id);
    live.close(why);
  }

  close(): void {
    for (const { live } of this.#live.values()) live.close('the server is shutting down');
  }

  async #open(id: string, path: string): Promise<SealedData | undefined> {
    const key = `${path} ${id}`;
    const data = this.#opened.get(key) ?? (await this.#sealer.open(id, path));
    if (data === undefined) return undefined;
    setNewest(this.#opened, key, data, MAX_OPENED);
    return data;
  }

  #isCurrent({ began, revision }: SealedData): boolean {
    const { clock, sessionLifeMs } = this.#context.settings;
    // Absolute: the clock of the process that sealed the id can be ahead.
    return Math.abs(clock.wall() - began) <= sessionLifeMs && findRevision(revision) !== undefined;
  }

  /** Fails open if the list is unavailable: the token protects a session, not its id. */
  async #isEnded(name: string): Promise<boolean> {
    try {
      return (await this.#limit.bound(this.#spec.ended?.has(name), 'has of ended sessions')) === true;
    } catch {
      return false;
    }
  }

  #agreed({ revision, caller }: SealedData): PeerSession {
    const batches = findRevision(revision)?.batches === true;
    const { elicitation, sampling, roots, ...rest } = caller.capabilities;
    const canAnswer = this.#spec.questions === 'same-process';
    return { revision, batches, ready: true, caller: canAnswer ? caller : { ...caller, capabilities: rest } };
  }

  #make(name: string, principal: string, agreed: PeerSession): LiveSession {
    const now = this.#context.settings.clock.wall();
    const session: PeerSession = { ...agreed, requestsOnly: true };
    return new LiveSession(name, { session, principal, createdAt: now, usedAt: now, caller: undefined }, this.#context);
  }
}

const principalDigest = async (principal: string): Promise<string> => (await digestText(principal)).slice(0, 22);
