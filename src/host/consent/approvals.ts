/** Remembered approvals: stores them, matches them with acts, expires and revokes them. */
import { randomUUID } from 'node:crypto';
import { defined } from '../../jsonrpc/message.ts';
import { canonicalJson } from '../../model/canonical.ts';
import { setNewest } from '../../peer/set-newest.ts';
import type { Act, ActKind } from '../act/act.ts';
import { payloadOf, sha256 } from '../act/binding.ts';
import type { ConsentAnswer } from './consent.ts';

/** A remembered consent, which replaces later questions about matching acts. */
export interface Approval {
  readonly id: string;
  readonly server: string;
  /** The hash of the server's command or URL. If the label points to another server, the approval does not match. */
  readonly fingerprint?: string | undefined;
  readonly kind: ActKind;
  readonly name: string;
  /** The URI of the view that requested the act. */
  readonly view?: string | undefined;
  readonly principal: string;
  /** The text of the rule that required consent. Does not match if another rule does. */
  readonly rule: string;
  /** The hash of the approved definition. Does not match a changed one. */
  readonly definition?: string | undefined;
  /** The hash of the arguments; absent if the approval covers any arguments. */
  readonly arguments?: string | undefined;
  /** The hash of the skills in use. Does not match with other skills. */
  readonly under?: string | undefined;
  /** Ends with this session; without one, with the host. */
  readonly session?: string | undefined;
  /** Expiry in milliseconds since 1970; absent for approvals that end with the session or host. */
  readonly until?: number | undefined;
  readonly at: number;
}

/** Stores approvals with an expiry. An approval is never updated, only added and removed. */
export interface ApprovalStore {
  list(): Promise<readonly Approval[]>;
  add(approval: Approval): Promise<void>;
  /** Returns false if the id is unknown. */
  remove(id: string): Promise<boolean>;
  /**
   * A persistent secret of 32 random bytes, the HMAC key for fingerprints of environment variables and headers. Without it, approvals
   * for servers with variables or headers end with the process.
   */
  key?(): Promise<Uint8Array>;
}

/** Stores approvals in memory. */
export function memoryApprovals(): ApprovalStore {
  const approvals = new Map<string, Approval>();
  return {
    list: async () => [...approvals.values()],
    add: async (approval) => void approvals.set(approval.id, approval),
    remove: async (id) => approvals.delete(id),
  };
}

/** Lists and revokes the approvals of a host. */
export interface RememberedApprovals {
  /** Returns the approvals that have not expired. */
  list(): Promise<readonly Approval[]>;
  /** Returns false if the id is unknown. */
  revoke(id: string): Promise<boolean>;
}

/** Maximum number of approvals without expiry. Beyond it, the oldest is evicted, and the user is asked again. */
const MAX_TEMPORARY = 10_000;

/** Members that must be equal in act and approval. Rule, arguments and skills are compared separately. */
const boundMembers = ['server', 'fingerprint', 'kind', 'name', 'view', 'principal', 'definition'] as const;

export class Approvals {
  readonly #store: ApprovalStore;
  /** Approvals that end with a session or the host; kept in memory only. */
  readonly #temporary: Map<string, Approval> = new Map();

  constructor(store: ApprovalStore) {
    this.#store = store;
  }

  /** Returns the valid approvals, and removes expired ones from the store. */
  async list(now: number): Promise<readonly Approval[]> {
    const stored = await this.#store.list();
    const expired = stored.filter(({ until }) => until === undefined || until <= now);
    await Promise.all(expired.map(({ id }) => this.#store.remove(id)));
    return [...this.#temporary.values(), ...stored.filter((one) => !expired.includes(one))];
  }

  /** Returns false if the id is unknown. */
  async revoke(id: string): Promise<boolean> {
    const wasTemporary = this.#temporary.delete(id);
    return (await this.#store.remove(id)) || wasTemporary;
  }

  async find(act: Act, rule: string, now: number): Promise<Approval | undefined> {
    const hash = hashOf(act);
    return (await this.list(now)).find(
      (one) =>
        boundMembers.every((key) => one[key] === act[key]) &&
        one.rule === rule &&
        one.under === underOf(act) &&
        (one.arguments === undefined || one.arguments === hash) &&
        (one.until !== undefined || one.session === act.session),
    );
  }

  async add(act: Act, rule: string, remember: NonNullable<ConsentAnswer['remember']>, now: number): Promise<void> {
    const { server, fingerprint, kind, name, view, principal, definition, session } = act;
    const until = remember.until === 'session' ? undefined : remember.until;
    const approval = defined<Approval>({
      ...{ id: randomUUID(), server, fingerprint, kind, name, view, principal, rule, definition, at: now },
      ...{ under: underOf(act), until, session: until === undefined ? session : undefined },
      arguments: remember.for === 'these arguments' ? hashOf(act) : undefined,
    });
    if (until !== undefined) await this.#store.add(approval);
    else setNewest(this.#temporary, approval.id, approval, MAX_TEMPORARY);
  }

  endSession(session: string): void {
    for (const [id, approval] of this.#temporary) if (approval.session === session) this.#temporary.delete(id);
  }
}

const underOf = ({ under }: Act): string | undefined =>
  under === undefined ? undefined : sha256(under.map(canonicalJson).toSorted().join('\n'));

const hashOf = (act: Act): string => sha256(payloadOf(act).map(canonicalJson).join('\n'));
