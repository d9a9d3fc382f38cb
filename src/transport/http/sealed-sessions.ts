/** Sessions that no process keeps: every process that has the keys serves every request. */
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
import { type SealedFacts, SessionSealer } from './sealed-id.ts';
import type { SealedSessionSpec } from './sealed-session-spec.ts';
import type { HttpSessions, SessionCaller } from './sessions.ts';

/** Ids that stay opened. */
const MAX_OPENED = 1_000;

export class SealedSessions implements HttpSessions {
  readonly methods: string;
  readonly #context: HttpSessionContext;
  readonly #spec: SealedSessionSpec;
  readonly #sealer: SessionSealer;
  readonly #limit: TimeLimit;
  /** By id and path; the one that was used last comes last. */
  readonly #opened: Map<string, SealedFacts> = new Map();
  /** By name, while a message is dealt with: a call can be cancelled, and answered where its handler asks. */
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
    const facts = { revision, caller, principal: await principalDigest(principal), began: createdAt };
    return this.#sealer.seal(facts, view.path);
  }

  narrow(response: RpcResponse): RpcResponse {
    return withoutPushes(response, true);
  }

  async find(id: string | undefined, caller: SessionCaller): Promise<LiveSession | undefined> {
    if (id === undefined) throw new HttpRejection('sessionMissing', {});
    const facts = await this.#open(id, caller.view.path);
    const principal = principalOf(caller.auth);
    if (facts === undefined || !this.#isCurrent(facts) || facts.principal !== (await principalDigest(principal)))
      return undefined;
    if (await this.#isEnded(facts.name)) return undefined;
    const { name } = facts;
    const open = this.#live.get(name) ?? { live: this.#make(name, principal, this.#agreed(facts)), uses: 0 };
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

  async #open(id: string, path: string): Promise<SealedFacts | undefined> {
    const key = `${path} ${id}`;
    const facts = this.#opened.get(key) ?? (await this.#sealer.open(id, path));
    if (facts === undefined) return undefined;
    setNewest(this.#opened, key, facts, MAX_OPENED);
    return facts;
  }

  #isCurrent({ began, revision }: SealedFacts): boolean {
    const { clock, sessionLifeMs } = this.#context.settings;
    // Either way: it was sealed by a process of ours, whose clock can be ahead.
    return Math.abs(clock.wall() - began) <= sessionLifeMs && findRevision(revision) !== undefined;
  }

  /** Goes on where the list is out of reach: a token protects a session, its id never did. */
  async #isEnded(name: string): Promise<boolean> {
    try {
      return (await this.#limit.bound(this.#spec.ended?.has(name), 'has of ended sessions')) === true;
    } catch {
      return false;
    }
  }

  #agreed({ revision, caller }: SealedFacts): PeerSession {
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
